/* Dark or light: as the system says, unless a person chose. */

const CHOICE = "keepgraph theme";

export function applyTheme(): void {
  const choice = stored();
  if (choice) document.documentElement.dataset.theme = choice;
}

export function isDark(): boolean {
  const choice = document.documentElement.dataset.theme;
  return choice ? choice === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function switchTheme(): void {
  const choice = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = choice;
  try {
    localStorage.setItem(CHOICE, choice);
  } catch {
    // no storage in this frame: the choice holds until the page is closed
  }
  window.dispatchEvent(new Event("themechange"));
}

function stored(): string | null {
  try {
    return localStorage.getItem(CHOICE);
  } catch {
    return null;
  }
}
