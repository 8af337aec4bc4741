/* The edits of an entity and its facts, each a dialog whose result is a toast that takes it back. */
import { useEffect, useState } from "preact/hooks";
import { Dialog, Field } from "./components/dialog";
import { EntityPicker } from "./components/entity_picker";
import type { Answer, Call, Fact, Graph, Ref } from "./graph";
import { today } from "./dates";
import { go } from "./router";
import { edit, editBoth, failed } from "./toasts";
import { count, linkOf, words } from "./wording";

interface Properties {
  graph: Graph;
  close: () => void;
}

export function RecordFact({ graph, close, subject }: Properties & { subject: Ref | null }) {
  const [from, setFrom] = useState<{ name: string; entity: Ref | null }>({ name: subject?.name ?? "", entity: subject });
  const [to, setTo] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const [predicate, setPredicate] = useState("");
  const [literal, setLiteral] = useState(false);
  const [since, setSince] = useState("");
  const [source, setSource] = useState("");
  const [predicates, setPredicates] = useState<{ name: string; description: string }[]>([]);
  useEffect(() => {
    graph.call("get_vocabulary", {}).then((answer) => setPredicates(answer.predicates), failed);
  }, []);
  const known = predicates.find((each) => each.name === underscored(predicate));
  const fact = () => ({
    subject: named(from),
    predicate: underscored(predicate),
    object: literal ? { literal: to.name.trim() } : named(to),
    ...(since && { valid_from: since }),
    ...(source.trim() && { source: source.trim() }),
  });
  const submit = async () => {
    const answer = await edit(graph, "record_fact", fact(), (recorded) => recordedText(recorded, words(predicate)));
    return answer !== null;
  };
  const withPredicate = {
    code: "PREDICATE_UNKNOWN",
    action: `Add “${words(predicate.trim())}” to the vocabulary, and record`,
    submit: () => recordWithPredicate(graph, fact(), literal),
  };
  return (
    <Dialog title="Record a fact" remedy={known ? undefined : withPredicate} action="Record" close={close} submit={submit} disabled={!from.name.trim() || !predicate.trim() || !to.name.trim()}>
      <Field label="Subject">
        <EntityPicker graph={graph} label="Subject" value={from.name} change={setFrom} focus={!subject} />
      </Field>
      <Field label="Predicate" hint={known?.description}>
        <input
          type="text"
          list="predicates"
          value={predicate}
          autocomplete="off"
          autofocus={Boolean(subject)}
          onInput={(event) => setPredicate(event.currentTarget.value)}
        />
        <datalist id="predicates">
          {predicates.map((each) => (
            <option key={each.name} value={words(each.name)} />
          ))}
        </datalist>
      </Field>
      <Field label="Object" hint={literal ? undefined : "A name that does not exist yet becomes a new entity. Write type:name to say what it is."}>
        {literal ? (
          <input type="text" value={to.name} onInput={(event) => setTo({ name: event.currentTarget.value, entity: null })} />
        ) : (
          <EntityPicker graph={graph} label="Object" value={to.name} change={setTo} />
        )}
      </Field>
      <label class="check">
        <input type="checkbox" checked={literal} onChange={(event) => setLiteral(event.currentTarget.checked)} /> The object is a plain text, a date
        or a number
      </label>
      <div class="columns">
        <Field label="Since (optional)">
          <input type="date" value={since} onInput={(event) => setSince(event.currentTarget.value)} />
        </Field>
        <Field label="Source (optional)">
          <input type="text" value={source} onInput={(event) => setSource(event.currentTarget.value)} />
        </Field>
      </div>
    </Dialog>
  );
}

/* Adds the predicate to the vocabulary, for any ends, and records the fact. */
function recordWithPredicate(graph: Graph, fact: Extract<Call, ["record_fact", unknown]>[1], literal: boolean): Promise<boolean> {
  const predicate = { predicates: { [fact.predicate]: literal ? { literal: "text" } : {} } };
  const text = (recorded: Answer) => `${recordedText(recorded, words(fact.predicate))} New predicate: ${words(fact.predicate)}.`;
  return editBoth(graph, ["extend_vocabulary", predicate], ["record_fact", fact], text);
}

export function EndFact({ graph, close, fact }: Properties & { fact: Fact }) {
  const [day, setDay] = useState(today());
  const [source, setSource] = useState("");
  const submit = async () => {
    const args = { fact_id: fact.id, valid_to: day, ...(source.trim() && { source: source.trim() }) };
    return (await edit(graph, "end_fact", args, (answer) => answer.message)) !== null;
  };
  return (
    <Dialog title="End a fact" action="End it" close={close} submit={submit} disabled={!day}>
      <p>{fact.sentence}</p>
      <p class="quiet">It was true, and holds no longer. It stays in the history.</p>
      <Field label="Last day that it held">
        <input type="date" value={day} onInput={(event) => setDay(event.currentTarget.value)} />
      </Field>
      <Field label="Where that comes from (optional)">
        <input type="text" value={source} onInput={(event) => setSource(event.currentTarget.value)} />
      </Field>
    </Dialog>
  );
}

export function retract(graph: Graph, fact: Fact): Promise<Answer | null> {
  return edit(graph, "retract_fact", { fact_id: fact.id }, () => `Retracted: ${fact.sentence}.`);
}

export function Rename({ graph, close, entity }: Properties & { entity: Ref }) {
  const [name, setName] = useState(entity.name);
  const [keep, setKeep] = useState(true);
  const submit = async () => {
    const args = { entity: { id: entity.id }, name: name.trim(), ...(!keep && { keep_old_name: false }) };
    return (await edit(graph, "update_entity", args, () => `Renamed ${entity.name} to ${name.trim()}.`)) !== null;
  };
  return (
    <Dialog title={`Rename ${entity.name}`} action="Rename" close={close} submit={submit} disabled={!name.trim() || name === entity.name}>
      <Field label="New name">
        <input type="text" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <label class="check">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> The old name still finds it
      </label>
    </Dialog>
  );
}

export function AlsoCalled({ graph, close, entity }: Properties & { entity: Ref }) {
  const [alias, setAlias] = useState("");
  const submit = async () => {
    const args = { entity: { id: entity.id }, alias: alias.trim() };
    return (await edit(graph, "add_alias", args, () => `${entity.name} is also called ${alias.trim()}.`)) !== null;
  };
  return (
    <Dialog title={`${entity.name} is also called …`} action="Add the name" close={close} submit={submit} disabled={!alias.trim()}>
      <Field label="Other name" hint="A short form, a former name, another spelling.">
        <input type="text" value={alias} onInput={(event) => setAlias(event.currentTarget.value)} />
      </Field>
    </Dialog>
  );
}

export function Describe({ graph, close, entity, summary }: Properties & { entity: Ref; summary: string }) {
  const [text, setText] = useState(summary);
  const submit = async () =>
    (await edit(graph, "update_entity", { entity: { id: entity.id }, summary: text.trim() }, () => `Changed the summary of ${entity.name}.`)) !== null;
  return (
    <Dialog title={`What ${entity.name} is`} action="Save" close={close} submit={submit} disabled={text.trim() === summary}>
      <Field label="Summary, in a sentence or two">
        <textarea rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
    </Dialog>
  );
}

/* Shows what a merge would do before it is done. */
export function Merge({ graph, close, keep }: Properties & { keep: Ref }) {
  const [absorb, setAbsorb] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const [preview, setPreview] = useState<Answer | null>(null);
  const [problem, setProblem] = useState("");
  const across = Boolean(absorb.entity && absorb.entity.type !== keep.type);
  const args = { keep: { id: keep.id }, absorb: { id: absorb.entity?.id ?? "" }, ...(across && { across_types: true }) };
  useEffect(() => {
    setPreview(null);
    setProblem("");
    if (absorb.entity) graph.call("merge_entities", { ...args, dry_run: true }).then(setPreview, (error) => setProblem(error.message));
  }, [absorb.entity?.id]);
  const submit = async () => {
    const text = () => `Merged ${absorb.name} into ${keep.name}.`;
    const answer = await edit(graph, "merge_entities", args, text);
    if (answer) go(linkOf(keep));
    return answer !== null;
  };
  return (
    <Dialog title={`Merge into ${keep.name}`} action="Merge" close={close} submit={submit} disabled={!preview}>
      <p class="quiet">{keep.name} takes over the facts and the names of the other, which is then gone.</p>
      <Field label="The other entity">
        <EntityPicker graph={graph} label="The other entity" value={absorb.name} change={setAbsorb} except={keep.id} focus />
      </Field>
      <div aria-live="polite">
        {problem && <p class="hint">{problem}</p>}
        {preview && <MergePreview preview={preview} across={across} type={absorb.entity?.type ?? ""} />}
      </div>
    </Dialog>
  );
}

function MergePreview({ preview, across, type }: { preview: Answer; across: boolean; type: string }) {
  return (
    <>
      <p>
        {count(preview.moved, "fact")} would move, {preview.folded} would join an equal one, {preview.retracted} would be retracted.
        {across && ` They have different types: the other is of type ${words(type)}.`}
      </p>
      <ul class="short">
        {preview.facts.slice(0, 5).map((fact: Answer) => (
          <li key={fact.id}>{fact.becomes ?? fact.was}</li>
        ))}
      </ul>
    </>
  );
}

/* An entity as tools take it: the id of a chosen one, else what was typed, with its type where it says one. */
export function named({ name, entity }: { name: string; entity: Ref | null }): Record<string, string> {
  if (entity) return { id: entity.id };
  const match = /^([a-z_]+):\s*(.+)$/i.exec(name.trim());
  return match ? { type: match[1]!.toLowerCase(), name: match[2]! } : { name: name.trim() };
}

export function underscored(predicate: string): string {
  return predicate.trim().toLowerCase().replace(/\s+/g, "_");
}

function recordedText(answer: Answer, predicate: string): string {
  const object = answer.object.name ?? answer.object.literal;
  const made = answer.auto_created_entities.map((each: Ref) => each.name).join(", ");
  const effect = answer.deduplicated ? "Known already" : "Recorded";
  return `${effect}: ${answer.subject.name} ${predicate} ${object}.${made ? ` New: ${made}.` : ""}`;
}
