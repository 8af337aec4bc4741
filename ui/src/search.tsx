/* Search over names and texts, names first: ⌘K, arrows, Enter. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { asCallError } from "./answers";
import { TypeDot } from "./components/entity";
import type { Graph, Matches } from "./graph";
import { address, go } from "./router";
import { linkOf, words } from "./wording";

interface Target {
  key: string;
  to: string;
}

export function Search({ graph, close }: { graph: Graph; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const timer = useRef(0);
  const asked = useRef(0);
  const [query, setQuery] = useState("");
  const [matches, setMatches] = useState<Matches | null>(null);
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const [active, setActive] = useState(0);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      window.clearTimeout(timer.current);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const type = (text: string) => {
    setQuery(text);
    window.clearTimeout(timer.current);
    if (!text.trim()) return setMatches(null);
    timer.current = window.setTimeout(() => void ask(text), 60);
  };
  // Names are answered at once; texts follow.
  const ask = async (text: string) => {
    const turn = ++asked.current;
    setFailure("");
    try {
      const names = await graph.names(text, 8);
      if (turn !== asked.current) return;
      setMatches((before) => ({ names, texts: before?.texts ?? [] }));
      setActive(0);
      setPending(true);
      const full = await graph.search(text);
      if (turn === asked.current) setMatches(full);
    } catch (error) {
      if (turn === asked.current) setFailure(asCallError(error).message);
    }
    if (turn === asked.current) setPending(false);
  };
  const targets: Target[] = [
    ...(matches?.names ?? []).map((entity) => ({ key: entity.id, to: linkOf(entity) })),
    ...(matches?.texts ?? []).map((text) => ({ key: text.id ?? text.name, to: address("text", text.id ?? "") })),
  ];
  const open = (target: Target | undefined) => {
    if (!target) return;
    close();
    go(target.to);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + step + targets.length) % Math.max(1, targets.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(targets[active]);
    } else if (event.key === "Escape") {
      event.preventDefault(); // at once: the browser tells of it later, when it may have been opened again
      close();
    }
  };
  const option = (position: number) => ({
    id: `match-${position}`,
    role: "option" as const,
    "aria-selected": position === active,
    onClick: () => open(targets[position]),
  });
  const nameCount = matches?.names.length ?? 0;
  return (
    <dialog
      ref={dialog}
      class="search"
      aria-label="Search"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search names and texts"
        aria-expanded={targets.length > 0}
        aria-controls="matches"
        aria-activedescendant={targets.length ? `match-${active}` : undefined}
        placeholder="A name, or words of a text"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={key}
      />
      <div id="matches" role="listbox" aria-label="Matches">
        {nameCount > 0 && (
          <div role="group" aria-label="Names">
            <h3 aria-hidden="true">Names</h3>
            {matches!.names.map((entity, position) => (
              <div key={entity.id} {...option(position)}>
                <TypeDot type={entity.type ?? ""} /> {entity.name} <span class="quiet">{words(entity.type ?? "")}</span>
              </div>
            ))}
          </div>
        )}
        {(matches?.texts.length ?? 0) > 0 && (
          <div role="group" aria-label="Texts">
            <h3 aria-hidden="true">Texts</h3>
            {matches!.texts.map((text, position) => (
              <div key={text.id} {...option(nameCount + position)}>
                {text.name}
                <div class="quiet cut">{text.quote}</div>
              </div>
            ))}
          </div>
        )}
      </div>
      <p class="quiet" role="status">
        {pending && "Searching the texts …"}
        {failure && `The search failed: ${failure}`}
        {matches && !targets.length && !pending && !failure && "Nothing matches. Try fewer or other words."}
      </p>
    </dialog>
  );
}
