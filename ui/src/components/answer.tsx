/* What stands where an answer will come: a line while it is awaited, and an error with what to do next. */
import type { ComponentChildren } from "preact";
import type { Waiting } from "../answers";
import type { CallError } from "../graph";

export function Answered<T>({ waiting, children }: { waiting: Waiting<T>; children: (value: T) => ComponentChildren }) {
  if (waiting.error) return <Failure error={waiting.error} />;
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
