/* What can be done with several entities at once: merged into one, given another type, or given the same fact, such as a tag. */
import { useEffect, useState } from "preact/hooks";
import { underscored } from "../edits";
import type { Call, Graph, Ref, Row } from "../graph";
import { edit, editTogether, failed } from "../toasts";
import { count, words } from "../wording";
import { Dialog, Field, Input } from "./dialog";

interface Properties {
  graph: Graph;
  rows: Row[];
  done: () => void;
}

type Open = "merge" | "type" | "fact" | null;

export function BulkEdits({ graph, rows, done }: Properties) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const none = rows.length === 0;
  return (
    <div class="buttons left" role="toolbar" aria-label="Edit the selected entities">
      <span class="quiet">{none ? "Select rows to edit them" : count(rows.length, "row") + " selected"}</span>
      <button type="button" disabled={rows.length < 2 || rows.length > 50} onClick={() => setOpen("merge")}>
        Merge
      </button>
      <button type="button" disabled={none || rows.length > 200} onClick={() => setOpen("type")}>
        Change type
      </button>
      <button type="button" disabled={none || rows.length > 1000} onClick={() => setOpen("fact")}>
        Tag
      </button>
      {!none && (
        <button type="button" class="plain" onClick={done}>
          Clear selection
        </button>
      )}
      {open === "merge" && <MergeRows graph={graph} rows={rows} close={close} done={done} />}
      {open === "type" && <RetypeRows graph={graph} rows={rows} close={close} done={done} />}
      {open === "fact" && <TagRows graph={graph} rows={rows} close={close} done={done} />}
    </div>
  );
}

interface DialogProperties<Each = Ref> {
  graph: Graph;
  rows: Each[];
  close: () => void;
  done: () => void;
}

function MergeRows({ graph, rows: now, close, done }: DialogProperties<Row>) {
  const [rows] = useState(now); // those of the beginning: the first merge already changes the table
  const [keep, setKeep] = useState([...rows].sort((a, b) => b.facts - a.facts)[0]!.id);
  const kept = rows.find((row) => row.id === keep)!;
  const others = rows.filter((row) => row.id !== keep);
  const submit = () =>
    each(graph, done, `Merged ${count(others.length, "entity", "entities")} into ${kept.name}.`, others.map((row) => [
      "merge_entities",
      { keep: { id: keep }, absorb: { id: row.id }, ...(row.type !== kept.type && { across_types: true }) },
    ]));
  return (
    <Dialog title={`Merge ${count(rows.length, "entity", "entities")}`} action="Merge" close={close} submit={submit}>
      <fieldset>
        <legend>Which one stays? It takes over the facts and names of the others.</legend>
        {rows.map((row) => (
          <label key={row.id} class="check">
            <input type="radio" name="keep" checked={row.id === keep} onChange={() => setKeep(row.id)} /> {row.name}{" "}
            <span class="quiet">
              {words(row.type)}, {count(row.facts, "fact")}
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}

export function RetypeRows({ graph, rows: now, close, done }: DialogProperties) {
  const [rows] = useState(now);
  const [known, setKnown] = useState<string[]>([]);
  const [type, setType] = useState("");
  useEffect(() => {
    graph.call("get_vocabulary", {}).then((answer) => setKnown(answer.entity_types.map((each: { name: string }) => each.name)), failed);
  }, []);
  const whose = rows.length === 1 ? rows[0]!.name : count(rows.length, "entity", "entities");
  const submit = () =>
    each(graph, done, `Changed the type of ${whose} to ${words(type)}.`, rows.filter((row) => row.type !== type).map((row) => ["update_entity", { entity: { id: row.id }, type }]));
  return (
    <Dialog title={`Change the type of ${whose}`} action="Change" close={close} submit={submit} disabled={!type}>
      <Field label="New type">
        <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
          <option value="">Choose a type</option>
          {known.map((name) => (
            <option key={name} value={name}>
              {words(name)}
            </option>
          ))}
        </select>
      </Field>
    </Dialog>
  );
}

/* A tag is a fact like any other: proposed is the predicate that has the role "tags" in the vocabulary. */
function TagRows({ graph, rows, close, done }: DialogProperties) {
  const [predicates, setPredicates] = useState<string[]>([]);
  const [predicate, setPredicate] = useState("");
  const [tag, setTag] = useState("");
  useEffect(() => {
    graph.call("list_vocabulary", {}).then((answer) => {
      const known = answer.predicates.filter((each) => !each.retired);
      setPredicates(known.map((each) => words(each.name)));
      setPredicate(words(known.find((each) => each.role === "tags")?.name ?? ""));
    }, failed);
  }, []);
  const submit = async () => {
    const facts = rows.map((row) => ({ subject: { id: row.id }, predicate: underscored(predicate), object: { literal: tag.trim() } }));
    const answer = await edit(graph, "record_facts", { facts, all_or_nothing: true }, () => `Tagged ${count(rows.length, "entity", "entities")}: ${tag.trim()}.`);
    if (answer) done();
    return answer !== null;
  };
  return (
    <Dialog title={`Tag ${count(rows.length, "entity", "entities")}`} action="Tag" close={close} submit={submit} disabled={!tag.trim() || !predicate.trim()}>
      <Input label="Tag" value={tag} set={setTag} />
      <Field label="Predicate">
        <input type="text" list="tag-predicates" value={predicate} onInput={(event) => setPredicate(event.currentTarget.value)} />
        <datalist id="tag-predicates">
          {predicates.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </Field>
    </Dialog>
  );
}

/* One call for each; the toast takes all of them back. */
async function each(graph: Graph, done: () => void, text: string, calls: Call[]): Promise<boolean> {
  const complete = await editTogether(graph, text, calls);
  if (complete) done();
  return complete;
}
