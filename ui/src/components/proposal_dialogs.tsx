/* A proposal accepted with other arguments, or as the name of an entity that exists. */
import { useEffect, useState } from "preact/hooks";
import type { Graph, Ref } from "../graph";
import type { ToolAnswers } from "../tools";
import { title, words } from "../wording";
import { failed } from "../toasts";
import { Dialog, Field } from "./dialog";
import { EntityPicker } from "./entity_picker";

type Answer = ToolAnswers["review_proposals"];
export type Proposal = Answer["proposals"][number];
export type Decision = NonNullable<Answer["decisions"]>[number]["decision"];

export type Decide = (proposal: Proposal, decision: Decision, more?: Record<string, unknown>) => Promise<boolean>;

interface ArgumentField {
  path: string[];
  label: string;
  value: string;
  needed: boolean;
  words: keyof Known | undefined;
}

/* The words of the vocabulary, of which such fields have one. */
interface Known {
  types: string[];
  predicates: string[];
}

interface Properties {
  proposal: Proposal;
  decide: Decide;
  close: () => void;
}

export function EditProposal({ graph, proposal, decide, close }: Properties & { graph: Graph }) {
  const [fields] = useState(() => fieldsOf(proposal));
  const [values, setValues] = useState(() => fields.map((field) => field.value));
  const [known, setKnown] = useState<Known>({ types: [], predicates: [] });
  useEffect(() => {
    const names = (words: { name: string }[]) => words.map((word) => word.name);
    graph.call("get_vocabulary", {}).then((answer) => setKnown({ types: names(answer.entity_types), predicates: names(answer.predicates) }), failed);
  }, []);
  const set = (position: number, text: string) => setValues(values.map((value, at) => (at === position ? text : value)));
  const submit = () => decide(proposal, "edit", { arguments: argumentsOf(fields, values) });
  return (
    <Dialog title="Edit and accept" action="Accept" close={close} submit={submit}>
      <p>{proposal.statement}</p>
      {fields.map((field, position) => (
        <Field key={position} label={field.label} hint={field.needed ? "Only you know this." : undefined}>
          {field.words ? (
            <select value={values[position]} autofocus={position === 0} onChange={(event) => set(position, event.currentTarget.value)}>
              {[...new Set([field.value, ...known[field.words]])].map((name) => (
                <option key={name} value={name}>
                  {words(name)}
                </option>
              ))}
            </select>
          ) : (
            <input type="text" value={values[position]} autofocus={position === 0} onInput={(event) => set(position, event.currentTarget.value)} />
          )}
        </Field>
      ))}
    </Dialog>
  );
}

export function MergeProposal({ graph, proposal, decide, close }: Properties & { graph: Graph }) {
  const [chosen, setChosen] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const submit = () => decide(proposal, "merge", { into: { id: chosen.entity!.id } });
  return (
    <Dialog title="This is another name of …" action="Accept" close={close} submit={submit} disabled={!chosen.entity}>
      <p>{proposal.statement}</p>
      <EntityPicker graph={graph} label="The entity that exists" value={chosen.name} change={setChosen} focus />
    </Dialog>
  );
}

/* A field for each argument, and for each part of an argument that is made of texts, such as an entity by type and name. */
function fieldsOf(proposal: Proposal): ArgumentField[] {
  const { arguments: given } = proposal.call;
  const names = [...new Set([...Object.keys(given), ...(proposal.needs ?? [])])];
  return names.flatMap((name) => {
    const value = given[name];
    const needed = Boolean(proposal.needs?.includes(name));
    if (!isMadeOfTexts(value)) return [{ path: [name], label: title(name), value: written(value), needed, words: wordsOf(name) }];
    return Object.entries(value).map(([part, text]) => ({
      path: [name, part],
      label: `${title(name)}: ${words(part)}`,
      value: text,
      needed,
      words: wordsOf(part),
    }));
  });
}

function argumentsOf(fields: ArgumentField[], values: string[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  fields.forEach(({ path: [name, part] }, position) => {
    const text = values[position]!.trim();
    if (!text || !name) return;
    if (part) all[name] = { ...(all[name] as object | undefined), [part]: text };
    else all[name] = read(text);
  });
  return all;
}

function isMadeOfTexts(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((part) => typeof part === "string");
}

function wordsOf(name: string): keyof Known | undefined {
  return name === "type" ? "types" : name === "predicate" ? "predicates" : undefined;
}

function written(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/* JSON where it is JSON of more than a word, else the text itself. */
function read(text: string): unknown {
  if (!/^[[{"]|^(true|false|null|-?\d+(\.\d+)?)$/.test(text.trim())) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
