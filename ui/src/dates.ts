/* Days and instants as people read them, and days as numbers for axes and sliders. */

const DAY = 86_400_000;

export function today(): string {
  const now = new Date();
  return isoDay(new Date(now.getTime() - now.getTimezoneOffset() * 60_000));
}

/* The day that an address names, where it is one: somebody may have typed it. */
export function dayIn(text: string | null): string | null {
  return text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

/* A bound of validity: a day where it is midnight in UTC, else day and time. */
export function moment(instant: string | null): string {
  if (!instant) return "";
  if (/^\d{4}-\d\d-\d\d$/.test(instant) || /T00:00:00(\.0+)?(Z|\+00:00)$/.test(instant)) return instant.slice(0, 10);
  return localTime(instant);
}

/* The end of a validity is exclusive: the last day that it held is the day before. */
export function lastDay(instant: string): string {
  return /T00:00:00(\.0+)?(Z|\+00:00)$/.test(instant) ? addDays(instant.slice(0, 10), -1) : moment(instant);
}

/* In milliseconds; a day means its end, as in the tools. */
export function endOf(instant: string): number {
  return Date.parse(instant) + (instant.length === 10 ? DAY - 1 : 0);
}

export function localTime(instant: string | null): string {
  if (!instant) return "";
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 16)}`;
}

/* A day as people say it: “yesterday” and “in 2 days” where it is near and that may be said, else “24 November”, with another year. */
export function inWords(day: string, now: string, near = true): string {
  const distance = dayNumber(day) - dayNumber(now);
  if (Number.isNaN(distance)) return day;
  if (near && Math.abs(distance) < 7) return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(distance, "day");
  const options = { day: "numeric", month: "long", timeZone: "UTC" } as const;
  return new Date(day).toLocaleDateString("en-GB", day.slice(0, 4) !== now.slice(0, 4) ? { ...options, year: "numeric" } : options);
}

/* “18–24 November”. */
export function range(from: string, to: string): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: from.slice(0, 4) === today().slice(0, 4) ? undefined : "numeric", timeZone: "UTC" })
    .formatRange(new Date(from), new Date(to))
    .replace(/\s*–\s*/, "–");
}

export function localDay(instant: string | null): string {
  if (!instant) return "";
  return instant.length === 10 ? instant : localTime(instant).slice(0, 10);
}

export function dayNumber(instant: string): number {
  return Math.floor(Date.parse(instant) / DAY);
}

export function dayOf(number: number): string {
  return isoDay(new Date(number * DAY));
}

export function addDays(day: string, days: number): string {
  return dayOf(dayNumber(day) + days);
}

export function holds(from: string | null, to: string | null, at: number): boolean {
  return (!from || Date.parse(from) <= at) && (!to || at < Date.parse(to));
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
