/* A proposal accepted with other arguments, or as the name of an entity that exists. */
import { useState } from "preact/hooks";
import type { Graph, Ref } from "../graph";
import type { Decide, Proposal } from "../views/review";
import { words } from "../wording";
import { Dialog, Field } from "./dialog";
import { EntityPicker } from "./entity_picker";

interface Properties {
  proposal: Proposal;
  decide: Decide;
  close: () => void;
}

export function EditProposal({ proposal, decide, close }: Properties) {
  const names = [...new Set([...Object.keys(proposal.call.arguments), ...(proposal.needs ?? [])])];
  const [values, setValues] = useState<Record<string, string>>(
    Object.fromEntries(names.map((name) => [name, written(proposal.call.arguments[name])])),
  );
  const submit = () => decide(proposal, "edit", { arguments: Object.fromEntries(names.filter((name) => values[name]).map((name) => [name, read(values[name]!)])) });
  return (
    <Dialog title="Accept with other arguments" action="Accept" close={close} submit={submit}>
      <p>{proposal.statement}</p>
      {names.map((name) => (
        <Field key={name} label={words(name)} hint={proposal.needs?.includes(name) ? "Only you can say this." : undefined}>
          <input type="text" value={values[name]} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} />
        </Field>
      ))}
    </Dialog>
  );
}

export function MergeProposal({ graph, proposal, decide, close }: Properties & { graph: Graph }) {
  const [chosen, setChosen] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const submit = () => decide(proposal, "merge", { into: { id: chosen.entity!.id } });
  return (
    <Dialog title="This name means …" action="That is it" close={close} submit={submit} disabled={!chosen.entity}>
      <p>{proposal.statement}</p>
      <Field label="The entity that exists">
        <EntityPicker graph={graph} label="The entity that exists" value={chosen.name} change={setChosen} focus />
      </Field>
    </Dialog>
  );
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
