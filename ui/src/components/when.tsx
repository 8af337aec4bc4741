/* Days as people say them, with the instant in a title. */
import { inWords, lastDay, moment, today } from "../dates";

export function When({ at, near = true }: { at: string | null; near?: boolean }) {
  if (!at) return null;
  return (
    <time dateTime={at} title={moment(at)}>
      {inWords(moment(at).slice(0, 10), today(), near)}
    </time>
  );
}

/* A validity; its end is exclusive, and the last day is shown. */
export function Period({ from, to }: { from: string | null; to: string | null }) {
  const end = to && lastDay(to);
  if (from && end) return <><When at={from} /> – <When at={end} /></>;
  if (from) return <>since <When at={from} /></>;
  return end ? <>until <When at={end} /></> : null;
}

/* A sentence with its ISO days as people say them. */
export function Prose({ text }: { text: string }) {
  return <>{text.split(/\b(\d{4}-\d\d-\d\d)\b/).map((part, position) => (position % 2 ? <When key={position} at={part} near={false} /> : part))}</>;
}
