/* A button that opens a short list of links and buttons; a choice, Escape or a click elsewhere closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Menu({ label, name, children }: { label: ComponentChildren; name?: string; children: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const element = menu.current;
      if (!element?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== "Escape") return;
        element.querySelector("summary")?.focus();
      } else if (element.contains(event.target as Node) && !(event.target as Element).closest(".menu > div a, .menu > div button")) return;
      element.open = false;
    };
    for (const kind of ["click", "keydown"]) document.addEventListener(kind, close);
    return () => {
      for (const kind of ["click", "keydown"]) document.removeEventListener(kind, close);
    };
  }, []);
  return (
    <details class="menu" ref={menu}>
      <summary aria-label={name}>{label}</summary>
      <div>{children}</div>
    </details>
  );
}
