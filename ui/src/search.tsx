/* Search over names, texts and actions, names first; before a word, what was looked at last: ⌘K, arrows, Enter. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { asCallError } from "./answers";
import { useModal } from "./components/dialog";
import { TypeIcon } from "./components/entity";
import type { Graph, Matches, Ref } from "./graph";
import { address, go, thingAddress } from "./router";
import { words } from "./wording";

export interface Action {
  name: string;
  key?: string;
  run: () => void;
}

interface Target {
  group: string;
  id: string;
  shown: ComponentChildren;
  run: () => void;
}

const MOST_RECENT = 6;
let recent: Ref[] = []; // in memory only: the names of an encrypted graph stay out of the browser's storage

/* Notes that somebody looked at an entity. */
export function noteVisit(entity: Ref): void {
  recent = [entity, ...recent.filter((each) => each.id !== entity.id)].slice(0, MOST_RECENT);
}

export function Search({ graph, actions, close }: { graph: Graph; actions: Action[]; close: () => void }) {
  const dialog = useModal();
  const timer = useRef(0);
  const asked = useRef(0);
  const [query, setQuery] = useState("");
  const [matches, setMatches] = useState<Matches | null>(null);
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const [active, setActive] = useState(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);

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
  const wanted = query.trim().toLowerCase();
  const entityTarget = (group: string) => (entity: Ref): Target => ({
    group,
    id: entity.id,
    run: () => go(thingAddress(entity.id)),
    shown: <><TypeIcon type={entity.type ?? ""} /> {entity.name} <span class="quiet">{words(entity.type ?? "")}</span></>,
  });
  const texts = (matches?.texts ?? []).map((text): Target => ({
    group: "Texts",
    id: text.id ?? text.name,
    run: () => go(address("text", text.id ?? "")),
    shown: <>{text.name}<div class="quiet cut">{text.quote}</div></>,
  }));
  const targets: Target[] = [
    ...(wanted ? (matches?.names ?? []).map(entityTarget("Names")) : recent.map(entityTarget("Recent"))),
    ...texts,
    ...actions
      .filter((action) => action.name.toLowerCase().includes(wanted))
      .map(({ name, key, run }): Target => ({ group: "Actions", id: name, run, shown: <>{name} {key && <kbd>{key}</kbd>}</> })),
  ];
  const open = (target: Target | undefined) => {
    if (!target) return;
    close();
    target.run();
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
  return (
    <dialog
      ref={dialog}
      class="search"
      aria-label="Search"
      onCancel={close} // and not when it is closed: an action may have opened another dialog
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search names and texts"
        aria-expanded={targets.length > 0}
        aria-controls="matches"
        aria-activedescendant={targets.length ? `match-${active}` : undefined}
        placeholder="Search names and texts"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={key}
      />
      <div id="matches" role="listbox" aria-label="Matches">
        {[...new Set(targets.map((each) => each.group))].map((group) => (
          <div key={group} role="group" aria-label={group}>
            <h3 aria-hidden="true">{group}</h3>
            {targets.map((target, position) => target.group === group && <div key={target.id} {...option(position)}>{target.shown}</div>)}
          </div>
        ))}
      </div>
      <p class="quiet" role="status">
        {pending && "Searching the texts …"}
        {failure && `The search failed: ${failure}`}
        {matches && !matches.names.length && !matches.texts.length && !pending && !failure && "Nothing matches. Try fewer or other words."}
      </p>
    </dialog>
  );
}
