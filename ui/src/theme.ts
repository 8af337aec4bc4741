/* Dark or light: as the system says, unless a person chose; and the font, of which build.mjs keeps the Latin letters. */
import inter from "inter-ui/variable/InterVariable.woff2";

const CHOICE = "keepgraph theme";

/* For drawings that leave the page. */
export const FONT_FACE = `@font-face{font-family:Inter;font-weight:400 700;src:url(data:font/woff2;base64,${inter})}`;

/* From bytes and not by an address, so that no policy of a host around the page forbids it. */
export function applyFont(): void {
  document.fonts.add(new FontFace("Inter", Uint8Array.from(atob(inter), (character) => character.charCodeAt(0)), { weight: "400 700" }));
}

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
