/* Waiting for answers: a hook that asks, keeps the newest answer, and asks again after every edit. */
import { useEffect, useState } from "preact/hooks";
import { CallError } from "./graph";

export interface Waiting<T> {
  value: T | null;
  error: CallError | null;
  loading: boolean;
}

let edition = 0;
const listeners = new Set<() => void>();

/* Says that the graph has changed: every view asks again. */
export function changed(): void {
  edition += 1;
  for (const listener of listeners) listener();
}

export function useEdition(): number {
  const [seen, setSeen] = useState(edition);
  useEffect(() => {
    const listener = () => setSeen(edition);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}

export function useAnswer<T>(ask: () => Promise<T>, dependencies: unknown[]): Waiting<T> {
  const seen = useEdition();
  const [state, setState] = useState<Waiting<T>>({ value: null, error: null, loading: true });
  useEffect(() => {
    let current = true;
    setState((before) => ({ ...before, loading: true }));
    ask().then(
      (value) => current && setState({ value, error: null, loading: false }),
      (error: unknown) => current && setState({ value: null, error: asCallError(error), loading: false }),
    );
    return () => void (current = false);
  }, [...dependencies, seen]);
  return state;
}

export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError("PAGE", error instanceof Error ? error.message : String(error), "Reload the page.");
}
