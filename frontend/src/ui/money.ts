/** Amounts of money in the form that readers know: "€12.40". Pure. */

/** To the cent, or to a tenth of a cent for amounts below ten cents: "€12.40", "€0.042". */
export function formatMoney(amount: number, currency: string): string {
  const cents = amount > 0 && amount < 0.1;
  return written(amount, currency, cents ? { maximumFractionDigits: 3 } : {});
}

/** An estimated amount; from 20 up without cents, which nobody can predict: "€9.50", "€195". */
export function formatMoneyAbout(amount: number, currency: string): string {
  return written(amount, currency, amount >= 20 ? { maximumFractionDigits: 0 } : {});
}

/** Format an amount; a three-letter code that no browser knows is put in front as it is: "XXQ 12.40". */
function written(amount: number, currency: string, digits: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat("en", { style: "currency", currency, ...digits }).format(amount).replace(/\s/g, " ");
}
