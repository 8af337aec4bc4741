/* Where a page was scrolled to, by step of the browser's history: Back leads to the same place of it, as far as its answers allow. */

import { listen } from "./router";

const WAITS = 2_000; // milliseconds, until the answers of a page are there that was scrolled further than it is high yet

const places = new Map<number, number>();
let step = 0;
let last = 0; // the highest number of a step
let watch: ResizeObserver | null = null;

/* Notes where the page is scrolled to, from now on. */
export function noteScrolling(): () => void {
  if ("scrollRestoration" in history) history.scrollRestoration = "manual";
  // Between two pages the browser scrolls too: that belongs to neither.
  const note = () => void (!watch && history.state?.step === step && places.set(step, window.scrollY));
  const ends = [listen(["scroll"], note), listen(["wheel", "touchstart", "keydown", "mousedown"], endWatch)];
  return () => ends.forEach((end) => end());
}

/* Scrolls a page that was come to anew to its top, and one that was gone back to, to where it was. */
export function scrollAsBefore(page: HTMLElement): void {
  endWatch();
  const known: unknown = history.state?.step;
  step = typeof known === "number" ? known : (last += 1);
  if (step !== known) history.replaceState({ step }, "");
  last = Math.max(last, step);
  const place = places.get(step) ?? 0;
  window.scrollTo(0, place);
  if (!place || window.scrollY >= place) return;
  const again = new ResizeObserver(() => {
    window.scrollTo(0, place);
    if (window.scrollY >= place) endWatch();
  });
  again.observe(page);
  watch = again;
  window.setTimeout(() => watch === again && endWatch(), WAITS);
}

function endWatch(): void {
  watch?.disconnect();
  watch = null;
}
