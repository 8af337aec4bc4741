/* The edits of an entity and its facts, each a dialog whose result is a toast that takes it back. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "./answers";
import { Answered } from "./components/answer";
import { Dialog, Field, Input, Notice } from "./components/dialog";
import { EntityPicker } from "./components/entity_picker";
import { CallError, type Fact, type Graph, type Ref } from "./graph";
import { today } from "./dates";
import { go, thingAddress } from "./router";
import { edit, editBoth, failed } from "./toasts";
import type { ToolAnswers, ToolArguments } from "./tools";
import { count, words } from "./wording";

interface Properties {
  graph: Graph;
  close: () => void;
}

/* With a quote, the fact is read in a text: its source is given. */
export function RecordFact({ graph, close, subject, quote, source: given = "" }: Properties & { subject: Ref | null; quote?: string; source?: string }) {
  const [from, setFrom] = useState<{ name: string; entity: Ref | null }>({ name: subject?.name ?? "", entity: subject });
  const [to, setTo] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const [predicate, setPredicate] = useState("");
  const [literal, setLiteral] = useState(false);
  const [since, setSince] = useState("");
  const [source, setSource] = useState(given);
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
      {quote && <blockquote>{quote}</blockquote>}
      <EntityPicker graph={graph} label="Subject" value={from.name} change={setFrom} focus={!subject} />
      <Field label="Predicate" hint={known?.description}>
        <input type="text" list="predicates" value={predicate} autocomplete="off" autofocus={Boolean(subject)} onInput={(event) => setPredicate(event.currentTarget.value)} />
        <datalist id="predicates">
          {predicates.map((each) => (
            <option key={each.name} value={words(each.name)} />
          ))}
        </datalist>
      </Field>
      {literal ? (
        <Input label="Object" value={to.name} set={(name) => setTo({ name, entity: null })} />
      ) : (
        <EntityPicker graph={graph} label="Object" hint="A name that does not exist yet becomes a new entity. Write type:name to say what it is." value={to.name} change={setTo} />
      )}
      <label class="check">
        <input type="checkbox" checked={literal} onChange={(event) => setLiteral(event.currentTarget.checked)} /> The object is a plain text, a date
        or a number
      </label>
      <div class="columns">
        <Input label="Since (optional)" type="date" value={since} set={setSince} />
        <Input label="Source (optional)" value={source} set={setSource} />
      </div>
    </Dialog>
  );
}

/* The first predicate with each role, such as “tags”, as the vocabulary has it. */
export async function predicatesOf<Roles extends string[]>(graph: Graph, ...roles: Roles): Promise<{ [Role in keyof Roles]: ToolAnswers["list_vocabulary"]["predicates"][number] }> {
  const { predicates } = await graph.call("list_vocabulary", {});
  return roles.map((role) => {
    const found = predicates.find((each) => each.role === role && !each.retired);
    if (!found) throw new CallError("VOCABULARY", `The vocabulary has no predicate with the role “${role}”.`, "Add one with kg vocabulary.");
    return found;
  }) as Awaited<ReturnType<typeof predicatesOf<Roles>>>;
}

/* A note: a text to remember. What it mentions and what waits in Review is said afterwards. */
export function Note({ graph, close }: Properties) {
  const [text, setText] = useState("");
  const submit = async () => (await edit(graph, "remember", { text: text.trim() }, rememberedText)) !== null;
  return (
    <Dialog title="Note" action="Remember" close={close} submit={submit} disabled={!text.trim()}>
      <Field label="What happened, or what is worth knowing" hint="Known names are linked; new ones wait in Review.">
        <textarea rows={5} autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={sendByKey} />
      </Field>
    </Dialog>
  );
}

/* Ctrl-Enter or ⌘-Enter sends the form of a text field. */
function sendByKey(event: KeyboardEvent): void {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
}

function rememberedText(answer: ToolAnswers["remember"]): string {
  const names = (refs: Ref[] | undefined) => (refs ?? []).map((each) => each.name).join(", ");
  const waiting = (answer.proposed_entities?.length ?? 0) + (answer.proposed_facts?.length ?? 0);
  const known = names(answer.mentions);
  const parts = ["Remembered.", known && `It mentions ${known}.`, waiting > 0 && `${count(waiting, "proposal")} to review${answer.proposed_entities?.length ? `: ${names(answer.proposed_entities)}` : ""}.`];
  return parts.filter(Boolean).join(" ");
}

/* A decision: what, by whom, in which project, why and when, in one call. */
export function RecordDecision({ graph, close }: Properties) {
  const [what, setWhat] = useState("");
  const [who, setWho] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const [project, setProject] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const [why, setWhy] = useState("");
  const [day, setDay] = useState(today());
  const submit = async () => {
    try {
      const [decides, part] = await predicatesOf(graph, "decides", "part_of");
      const decision = { type: decides.targets[0]!, name: what.trim() };
      const more = { valid_from: day, ...(why.trim() && { source: why.trim() }) };
      const facts = [
        { subject: await known(graph, who, decides.sources[0]), predicate: decides.name, object: decision, ...more },
        ...(project.name.trim() ? [{ subject: decision, predicate: part.name, object: await known(graph, project), ...more }] : []),
      ];
      return (await edit(graph, "record_facts", { facts, all_or_nothing: true }, () => `Recorded the decision: ${what.trim()}.`)) !== null;
    } catch (error) {
      failed(error);
      return false;
    }
  };
  return (
    <Dialog title="Record a decision" action="Record" close={close} submit={submit} disabled={!what.trim() || !who.name.trim() || !day}>
      <Input label="What was decided" autofocus value={what} set={setWhat} />
      <div class="columns">
        <EntityPicker graph={graph} label="By whom" value={who.name} change={setWho} />
        <EntityPicker graph={graph} label="Project (optional)" hint="Write type:name for a new one." value={project.name} change={setProject} />
        <Input label="Why (optional)" value={why} set={setWhy} />
        <Input label="When" type="date" value={day} set={setDay} />
      </div>
    </Dialog>
  );
}

/* Adds the predicate to the vocabulary, for any ends, and records the fact. */
function recordWithPredicate(graph: Graph, fact: ToolArguments["record_fact"], literal: boolean): Promise<boolean> {
  const predicate = { predicates: { [fact.predicate]: literal ? { literal: "text" as const } : {} } };
  const text = (recorded: ToolAnswers["record_fact"]) => `${recordedText(recorded, words(fact.predicate))} New predicate: ${words(fact.predicate)}.`;
  return editBoth(graph, ["extend_vocabulary", predicate], ["record_fact", fact], text);
}

export function EndFact({ graph, close, fact }: Properties & { fact: Fact }) {
  const [day, setDay] = useState(today());
  const [source, setSource] = useState("");
  const submit = async () => {
    const args = { fact_id: fact.id, valid_to: day, ...(source.trim() && { source: source.trim() }) };
    return (await edit(graph, "end_fact", args, (answer) => answer.message, `True again: ${fact.sentence}.`)) !== null;
  };
  return (
    <Dialog title="End a fact" action="End it" close={close} submit={submit} disabled={!day}>
      <p>{fact.sentence}</p>
      <p class="quiet">It was true, but no longer is. It stays in the history.</p>
      <Input label="Last day it was true" type="date" value={day} set={setDay} />
      <Input label="Source (optional)" value={source} set={setSource} />
    </Dialog>
  );
}

export function retract(graph: Graph, fact: Fact): Promise<unknown> {
  return edit(graph, "retract_fact", { fact_id: fact.id }, () => `Retracted: ${fact.sentence}.`, `True again: ${fact.sentence}.`);
}

export function Rename({ graph, close, entity }: Properties & { entity: Ref }) {
  const [name, setName] = useState(entity.name);
  const [keep, setKeep] = useState(true);
  const submit = async () => {
    const args = { entity: { id: entity.id }, name: name.trim(), ...(!keep && { keep_old_name: false }) };
    return (await edit(graph, "update_entity", args, () => `Renamed ${entity.name} to ${name.trim()}.`, `It is called ${entity.name} again.`)) !== null;
  };
  return (
    <Dialog title={`Rename ${entity.name}`} action="Rename" close={close} submit={submit} disabled={!name.trim() || name === entity.name}>
      <Input label="New name" value={name} set={setName} />
      <label class="check">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> Keep the old name as an alias
      </label>
    </Dialog>
  );
}

export function AlsoCalled({ graph, close, entity }: Properties & { entity: Ref }) {
  const [alias, setAlias] = useState("");
  const submit = async () => {
    const args = { entity: { id: entity.id }, alias: alias.trim() };
    return (await edit(graph, "add_alias", args, () => `${entity.name} is also called ${alias.trim()}.`, `${entity.name} is no longer called ${alias.trim()}.`)) !== null;
  };
  return (
    <Dialog title={`${entity.name} is also called …`} action="Add the name" close={close} submit={submit} disabled={!alias.trim()}>
      <Input label="Other name" hint="A short form, a former name, another spelling." value={alias} set={setAlias} />
    </Dialog>
  );
}

export function Describe({ graph, close, entity, summary }: Properties & { entity: Ref; summary: string }) {
  const [text, setText] = useState(summary);
  const submit = async () =>
    (await edit(graph, "update_entity", { entity: { id: entity.id }, summary: text.trim() }, () => `Changed the summary of ${entity.name}.`, `${entity.name} has its former summary again.`)) !== null;
  return (
    <Dialog title={`What ${entity.name} is`} action="Save" close={close} submit={submit} disabled={text.trim() === summary}>
      <Field label="Summary, in a sentence or two">
        <textarea rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
    </Dialog>
  );
}

/* Properties, a line each; a line that is taken away removes its property. */
export function Properties({ graph, close, entity, properties }: Properties & { entity: Ref; properties: Record<string, unknown> }) {
  const [text, setText] = useState(Object.entries(properties).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n"));
  const submit = async () => {
    const lines = text.split("\n").map((line) => line.match(/^\s*([^:]+?)\s*:\s*(.*?)\s*$/)).filter((match) => match !== null);
    const given = Object.fromEntries(lines.map(([, name, value]) => [name, JSON.stringify(properties[name!]) === value ? properties[name!] : value]));
    const removed = Object.fromEntries(Object.keys(properties).filter((name) => !(name in given)).map((name) => [name, null]));
    const args = { entity: { id: entity.id }, properties: { ...removed, ...given } };
    return (await edit(graph, "update_entity", args, () => `Changed the properties of ${entity.name}.`, `${entity.name} has its former properties again.`)) !== null;
  };
  return (
    <Dialog title={`Properties of ${entity.name}`} action="Save" close={close} submit={submit}>
      <Field label="One property a line" hint="role: editor">
        <textarea rows={5} autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={sendByKey} />
      </Field>
    </Dialog>
  );
}

/* Shows what would be deleted before it is. */
export function Forget({ graph, close, entity }: Properties & { entity: Ref }) {
  const args = { what: entity.id, kind: "entity" } as const;
  const preview = useAnswer(() => graph.call("forget", { ...args, dry_run: true }), [entity.id]);
  const submit = async () => {
    const answer = await edit(graph, "forget", args, () => `Forgot ${entity.name}.`, `${entity.name} is there again.`);
    if (answer) go(graph.first);
    return answer !== null;
  };
  return (
    <Dialog title={`Forget ${entity.name}`} action="Forget" close={close} submit={submit} disabled={!preview.value}>
      <Answered waiting={preview}>
        {(answer) => (
          <>
            <p>{answer.message}</p>
            <ul class="short">
              {answer.facts?.slice(0, 12).map((fact) => (
                <li key={fact.id}>{fact.name}</li>
              ))}
            </ul>
          </>
        )}
      </Answered>
    </Dialog>
  );
}

/* How two entities are connected, a fact a step. */
export function PathTo({ graph, close, entity }: Properties & { entity: Ref }) {
  const [other, setOther] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const to = other.entity?.id;
  const path = useAnswer(async () => (to ? graph.call("trace_path", { from_entity: entity.id, to_entity: to }) : null), [to]);
  return (
    <Notice title={`From ${entity.name} to …`} close={close}>
      <EntityPicker graph={graph} label="The other entity" value={other.name} change={setOther} except={entity.id} focus />
      <Answered waiting={path}>
        {(answer) =>
          answer && (
            <ol aria-live="polite">
              {answer.paths?.[0]?.steps.map((step) => <li key={step.fact_id}>{step.sentence}</li>) ?? "No connection within six facts."}
            </ol>
          )
        }
      </Answered>
    </Notice>
  );
}

/* Shows what a merge would do before it is done. */
export function Merge({ graph, close, keep }: Properties & { keep: Ref }) {
  const [absorb, setAbsorb] = useState<{ name: string; entity: Ref | null }>({ name: "", entity: null });
  const [preview, setPreview] = useState<ToolAnswers["merge_entities"] | null>(null);
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
    if (answer) go(thingAddress(keep.id));
    return answer !== null;
  };
  return (
    <Dialog title={`Merge into ${keep.name}`} action="Merge" close={close} submit={submit} disabled={!preview}>
      <p class="quiet">{keep.name} takes over the facts and names of the other, which is then removed.</p>
      <EntityPicker graph={graph} label="The other entity" value={absorb.name} change={setAbsorb} except={keep.id} focus />
      <div aria-live="polite">
        {problem && <p class="hint">{problem}</p>}
        {preview && <MergePreview preview={preview} across={across} type={absorb.entity?.type ?? ""} />}
      </div>
    </Dialog>
  );
}

function MergePreview({ preview, across, type }: { preview: ToolAnswers["merge_entities"]; across: boolean; type: string }) {
  return (
    <>
      <p>
        {count(preview.moved, "fact")} would move, {preview.folded} would be folded into an identical one, {preview.retracted} would be retracted.
        {across && ` The types differ: the other is of type ${words(type)}.`}
      </p>
      <ul class="short">
        {preview.facts.slice(0, 5).map((fact) => (
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

/* The same; a name that was typed as an entity has it is that entity, and a new one has a type, if one is given. */
async function known(graph: Graph, value: { name: string; entity: Ref | null }, type?: string): Promise<Record<string, string>> {
  const reference = named(value);
  if (!reference.name || reference.type) return reference;
  const same = (await graph.names(reference.name, 8)).find((each) => each.name.toLowerCase() === reference.name!.toLowerCase());
  if (same) return { id: same.id };
  return type ? { type, ...reference } : reference;
}

export function underscored(predicate: string): string {
  return predicate.trim().toLowerCase().replace(/\s+/g, "_");
}

function recordedText(answer: ToolAnswers["record_fact"], predicate: string): string {
  const object = answer.object.name ?? answer.object.literal;
  const made = answer.auto_created_entities?.map((each) => each.name).join(", ");
  const effect = answer.deduplicated ? "Already known" : "Recorded";
  return `${effect}: ${answer.subject.name} ${predicate} ${object}.${made ? ` New: ${made}.` : ""}`;
}
