// Runs before the first paint, so that a person who chose dark never sees a white flash. A file of its own: no inline script.
try {
  const chosen = localStorage.getItem("stepmark-color-scheme");
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
} catch {
  // Storage may be refused; the page then follows the system.
}
