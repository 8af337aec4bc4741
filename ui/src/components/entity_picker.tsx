/* A text field that proposes entities by name: a combobox with arrows, Enter and Escape. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Graph, Ref } from "../graph";
import { words } from "../wording";
import { failed } from "../toasts";
import { Field } from "./dialog";
import { TypeIcon } from "./entity";

interface Properties {
  graph: Graph;
  label: string;
  hint?: string;
  value: string;
  focus?: boolean;
  /* A name as typed has no id; null where the field is empty. */
  change: (chosen: { name: string; entity: Ref | null }) => void;
  except?: string;
}

export function EntityPicker({ graph, label, hint, value, focus, change, except }: Properties) {
  const [options, setOptions] = useState<Ref[]>([]);
  const [active, setActive] = useState(-1);
  const list = useId();
  const timer = useRef(0);
  const turn = useRef(0); // an answer that comes after a later question is left out
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const type = (name: string) => {
    change({ name, entity: null });
    window.clearTimeout(timer.current);
    setActive(-1);
    if (!name.trim()) return setOptions([]);
    timer.current = window.setTimeout(async () => {
      const asked = ++turn.current;
      const names = async () => ((begins) => (begins.length ? begins : graph.similarNames(name, 8)))(await graph.names(name, 8));
      const found = await names().catch((error) => (failed(error), []));
      if (asked === turn.current) setOptions(found.filter((entity) => entity.id !== except));
    }, 80);
  };
  /* What is typed or chosen is taken: an answer that is still awaited is not proposed any more. */
  const taken = () => {
    window.clearTimeout(timer.current);
    turn.current += 1;
    setOptions([]);
  };
  const choose = (entity: Ref) => {
    taken();
    change({ name: entity.name, entity });
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !options[active]) return taken(); // it sends the form
    if (!options.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + step + options.length) % options.length);
    } else if (event.key === "Enter" && options[active]) {
      event.preventDefault();
      choose(options[active]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      setOptions([]);
    }
  };
  return (
    <Field label={label} hint={hint}>
      <div class="picker" onFocusOut={(event) => !(event.currentTarget as Element).contains(event.relatedTarget as Node) && setOptions([])}>
        <input
          autofocus={focus}
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded={options.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={options[active] ? `${list}-${active}` : undefined}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={key}
        />
        <ul id={list} role="listbox" aria-label={`${label}: proposals`} hidden={!options.length}>
          {options.map((entity, position) => (
            <li
              key={entity.id}
              id={`${list}-${position}`}
              role="option"
              aria-selected={position === active}
              onMouseDown={(event) => (event.preventDefault(), choose(entity))}
            >
              {entity.type && <TypeIcon type={entity.type} />} {entity.name}
              <span class="quiet"> {words(entity.type ?? "")}</span>
            </li>
          ))}
        </ul>
      </div>
    </Field>
  );
}
