/* A form in a modal dialog: Escape and Cancel close it, Enter sends it, and focus returns to where it was. */
import type { ComponentChildren, ComponentProps } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CallError } from "../graph";
import { takeFailure } from "../toasts";
import { Failure } from "./answer";

interface Properties {
  title: string;
  action: string;
  close: () => void;
  /* True where it is done and the dialog may close. */
  submit: () => Promise<boolean>;
  disabled?: boolean;
  /* What may be done instead where it failed with a code. */
  remedy?: { code: string; action: string; submit: () => Promise<boolean> };
  children: ComponentChildren;
}

export function Dialog({ title, action, close, submit, disabled, remedy, children }: Properties) {
  const dialog = useModal();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Pick<CallError, "message" | "hint" | "code"> | null>(null);
  const send = async (event: Event, how = submit) => {
    event.preventDefault();
    if (busy || disabled) return;
    setBusy(true);
    const done = await how();
    setBusy(false);
    if (done) close();
    else setFailure(takeFailure());
  };
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <form onSubmit={(event) => send(event)}>
        <h2>{title}</h2>
        {children}
        {failure && <Failure error={failure} />}
        {remedy && failure?.code === remedy.code && (
          <button type="button" disabled={busy || disabled} onClick={(event) => send(event, remedy.submit)}>
            {remedy.action}
          </button>
        )}
        <div class="buttons">
          <button type="button" onClick={close}>Cancel</button>
          <button type="submit" class="primary" disabled={busy || disabled}>{action}</button>
        </div>
      </form>
    </dialog>
  );
}

/* A dialog that only tells something. */
export function Notice({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>Close</button>
      </div>
    </dialog>
  );
}

/* Opens the dialog over the page; focus returns to where it was. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close(); // while it is open, nothing beneath it takes the focus
      const back = before?.closest(".menu")?.querySelector("summary") ?? before; // a menu that was chosen from has closed
      if (back instanceof HTMLElement && back.isConnected) back.focus();
    };
  }, []);
  return dialog;
}

export function Field({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint && <span class="hint">{hint}</span>}
    </label>
  );
}

/* A field of one line. */
export function Input({ label, hint, set, ...input }: { label: string; hint?: string; set: (value: string) => void } & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint}>
      <input type="text" {...input} onInput={(event) => set(event.currentTarget.value)} />
    </Field>
  );
}
