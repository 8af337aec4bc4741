/* What stands where an answer will come: a line while it is awaited, and an error with what to do next. */
import type { ComponentChildren } from "preact";
import type { Waiting } from "../answers";
import type { CallError } from "../graph";

interface Properties<T> {
  waiting: Waiting<T>;
  /* The heading of a page that has no other while there is no answer. */
  heading?: string;
  children: (value: T) => ComponentChildren;
}

export function Answered<T>({ waiting, heading, children }: Properties<T>) {
  if (waiting.error) {
    return (
      <>
        {heading && <h1>{heading}</h1>}
        <Failure error={waiting.error} />
      </>
    );
  }
  if (waiting.value === null) return <p class="quiet loading" aria-busy="true">Loading …</p>;
  return <>{children(waiting.value)}</>;
}

export function Failure({ error }: { error: Pick<CallError, "message" | "hint"> }) {
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      {error.hint && <p class="hint">{error.hint}</p>}
    </div>
  );
}
