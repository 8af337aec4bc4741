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

export function localTime(instant: string | null): string {
  if (!instant) return "";
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 16)}`;
}

export function localDay(instant: string | null): string {
  if (!instant) return "";
  return instant.length === 10 ? instant : localTime(instant).slice(0, 10);
}

export function period(from: string | null, to: string | null): string {
  if (from && to) return `${moment(from)} – ${lastDay(to)}`;
  if (from) return `since ${moment(from)}`;
  if (to) return `until ${lastDay(to)}`;
  return "";
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
