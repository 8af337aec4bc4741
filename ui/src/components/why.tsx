/* Why a fact is here: where it comes from, what speaks against it, what rests on it, and what changed it, as explain answers. */
import type { ComponentChildren } from "preact";
import { useAnswer } from "../answers";
import type { Fact, Graph } from "../graph";
import { address } from "../router";
import type { Event, ToolAnswers } from "../tools";
import { Answered } from "./answer";
import { Notice } from "./dialog";
import { IdLink, textNamed } from "./entity";
import { Prose, When } from "./when";

type Explanation = ToolAnswers["explain"];

export function Why({ graph, fact, close }: { graph: Graph; fact: Fact; close: () => void }) {
  const waiting = useAnswer(() => graph.call("explain", { what: fact.id, kind: "fact", detail: "full" }), [fact.id]);
  return (
    <Notice title="Why is this in the graph?" close={close}>
      <Answered waiting={waiting}>
        {(answer) => (
          <div class="why">
            <p class="lead"><Prose text={answer.message} /></p>
            <Part title="Where it comes from" total={answer.totals.origins} entries={answer.origins.map((origin) => <Origin origin={origin} />)} />
            {answer.confirmed_by && <Part title="What confirms it" total={1} entries={[<Confirmation confirmation={answer.confirmed_by} />]} />}
            <Part title="What contradicts it" total={answer.totals.objections} entries={answer.objections.map((each) => each.sentence)} />
            <Part
              title="What depends on it"
              total={answer.totals.dependents}
              entries={answer.dependents.map((each) => (
                <>
                  {each.effect}: <IdLink id={each.id} text={each.text} />
                </>
              ))}
            />
            <Part title="What changed it" total={answer.totals.changes} entries={answer.changes.map((each) => <Change change={each} />)} />
          </div>
        )}
      </Answered>
    </Notice>
  );
}

function Part({ title, total, entries }: { title: string; total: number | undefined; entries: ComponentChildren[] }) {
  if (!entries.length) return null;
  const hidden = (total ?? entries.length) - entries.length;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {entries.map((entry, position) => (
          <li key={position}>{entry}</li>
        ))}
      </ul>
      {hidden > 0 && <p class="quiet">and {hidden.toLocaleString("en")} more</p>}
    </section>
  );
}

function Origin({ origin }: { origin: Explanation["origins"][number] }) {
  const { text } = origin;
  return (
    <>
      <When at={origin.at} />: {origin.what}
      {origin.tool && ` by ${origin.tool}`}
      {origin.call && (
        <>
          {" "}
          (<a href={address("history")}>call {origin.call}</a>)
        </>
      )}
      {origin.session && ` in the conversation ${origin.session}`}
      {origin.source && !(text && textNamed(origin.source)?.id === text.doc_id) && `, source: ${origin.source}`}
      {text && (
        <>
          , from <IdLink id={text.doc_id} text={text.name} />
          {text.speaker && `, ${text.speaker} says`}
          {text.heading && `, under ${text.heading}`}
          {text.quote && <blockquote>{text.quote}</blockquote>}
        </>
      )}
      {(origin.decisions ?? []).map((made, position) => (
        <div key={position} class="quiet">
          {made.decision} in review: {made.proposal}
        </div>
      ))}
      {origin.note && <div class="quiet">{origin.note}</div>}
    </>
  );
}

function Confirmation({ confirmation }: { confirmation: NonNullable<Explanation["confirmed_by"]> }) {
  return (
    <>
      <q>{confirmation.sentence}</q> {confirmation.doc_id && <IdLink id={confirmation.doc_id} text="See the text" />}
    </>
  );
}

function Change({ change }: { change: Event }) {
  return (
    <>
      <When at={change.at} />: {change.what}
      {change.tool && ` by ${change.tool}`} {change.call && <a href={address("history")}>call {change.call}</a>}
      {change.text && `: ${change.text}`}
    </>
  );
}
