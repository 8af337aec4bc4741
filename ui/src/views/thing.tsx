/* One thing: its story on one time axis, the texts that mention it, and its edits. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { TypeIcon } from "../components/entity";
import { RetypeRows } from "../components/bulk_edits";
import { Menu } from "../components/menu";
import { saveMarkdown } from "../components/save";
import { Story } from "../components/story";
import { TextList } from "../components/text_list";
import { When } from "../components/when";
import { AlsoCalled, Describe, Forget, Merge, PathTo, Properties, RecordFact, Rename } from "../edits";
import type { Thing } from "../graph";
import { noteVisit } from "../search";
import { failed, record } from "../toasts";
import { count, title, words } from "../wording";
import { ChangeDetails } from "./history";
import type { ViewProperties } from "../router";

const FIRST = 100;
const MOST = 1000;

type Open = "record" | "alias" | "rename" | "describe" | "type" | "properties" | "merge" | "path" | "delete" | null;

const EDITS: [Open, string][] = [
  ["alias", "Also called"],
  ["rename", "Rename"],
  ["describe", "Describe"],
  ["type", "Change type"],
  ["properties", "Properties"],
  ["merge", "Merge"],
  ["path", "Path to another"],
  ["delete", "Forget"],
];

export function ThingView({ graph, here }: ViewProperties) {
  const [limit, setLimit] = useState(FIRST);
  const waiting = useAnswer(() => graph.thing(here.argument, limit), [here.argument, limit]);
  return <Answered waiting={waiting} heading="Not found">{(thing) => <ThingPage graph={graph} here={here} thing={thing} more={() => setLimit(MOST)} />}</Answered>;
}

function ThingPage({ graph, here, thing, more }: ViewProperties & { thing: Thing; more: () => void }) {
  const [open, setOpen] = useState<Open>(null);
  const { entity } = thing;
  useEffect(() => noteVisit(entity), [entity.id, entity.name]);
  const close = () => setOpen(null);
  return (
    <article class="thing" data-id={entity.id}>
      <p class="kind">
        <TypeIcon type={entity.type ?? ""} /> {title(entity.type ?? "")}
      </p>
      <h1>{entity.name}</h1>
      {thing.aliases.length > 0 && <p class="quiet">Also called {thing.aliases.join(" · ")}</p>}
      {thing.summary && <p class="lead">{thing.summary}</p>}
      <PropertyList properties={thing.properties} />
      {graph.editable() && (
        <div class="buttons left" role="toolbar" aria-label="Edit">
          <button type="button" class="primary" onClick={() => setOpen("record")}>
            Record a fact
          </button>
          <Menu label="…" name="More edits">
            {EDITS.map(([what, name]) => (
              <button key={what} type="button" onClick={() => setOpen(what)}>
                {name}
              </button>
            ))}
            <button type="button" onClick={() => navigator.clipboard.writeText(location.href).then(() => record("Copied the link. It works while this page is open.", []), failed)}>
              Copy link
            </button>
            <button type="button" onClick={() => saveMarkdown(thing)}>
              Export
            </button>
          </Menu>
        </div>
      )}
      <Story
        graph={graph}
        here={here}
        thing={thing}
        more={
          thing.factTotal > thing.facts.length && (
            <button type="button" class="small" disabled={thing.facts.length > FIRST} onClick={more}>
              {thing.facts.length > FIRST ? `Showing the latest ${count(thing.facts.length, "fact")}` : `Load ${count(Math.min(MOST, thing.factTotal), "fact")}, not only ${thing.facts.length}`}
            </button>
          )
        }
      />
      <section aria-labelledby="texts">
        <h2 id="texts">
          Texts <span class="quiet">{thing.textTotal}</span>
        </h2>
        {thing.texts.length ? <TextList texts={thing.texts} name={entity.name} /> : <p class="quiet">No text mentions this.</p>}
        {thing.textTotal > thing.texts.length && <p class="quiet">and {thing.textTotal - thing.texts.length} more</p>}
      </section>
      {graph.live && <ChangeDetails graph={graph} summary="Change history" ask={() => graph.call("get_history", { about: entity.id, limit: 50 })} />}
      {thing.createdAt && <p class="quiet">Added <When at={thing.createdAt} />.</p>}
      {open === "record" && <RecordFact graph={graph} subject={entity} close={close} />}
      {open === "alias" && <AlsoCalled graph={graph} entity={entity} close={close} />}
      {open === "rename" && <Rename graph={graph} entity={entity} close={close} />}
      {open === "describe" && <Describe graph={graph} entity={entity} summary={thing.summary} close={close} />}
      {open === "type" && <RetypeRows graph={graph} rows={[entity]} close={close} done={close} />}
      {open === "properties" && <Properties graph={graph} entity={entity} properties={thing.properties} close={close} />}
      {open === "path" && <PathTo graph={graph} entity={entity} close={close} />}
      {open === "delete" && <Forget graph={graph} entity={entity} close={close} />}
      {open === "merge" && <Merge graph={graph} keep={entity} close={close} />}
    </article>
  );
}

function PropertyList({ properties }: { properties: Record<string, unknown> }) {
  const entries = Object.entries(properties);
  if (!entries.length) return null;
  return (
    <dl class="properties">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
