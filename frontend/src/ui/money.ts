/** Amounts of money, written as the reader's eye knows them: "€12.40". Pure. */

/** To the cent, and of what costs less than ten, to the tenth of one: "€12.40", "€0.042". */
export function formatMoney(amount: number, currency: string): string {
  const cents = amount > 0 && amount < 0.1;
  return written(amount, currency, cents ? { maximumFractionDigits: 3 } : {});
}

/** What is only estimated: from 20 on without cents, which nobody can foresee. "€9.50", "€195" */
export function formatMoneyAbout(amount: number, currency: string): string {
  return written(amount, currency, amount >= 20 ? { maximumFractionDigits: 0 } : {});
}

/** Three letters that no browser knows stand in front as they are: "XXQ 12.40". */
function written(amount: number, currency: string, digits: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat("en", { style: "currency", currency, ...digits }).format(amount).replace(/\s/g, " ");
}
