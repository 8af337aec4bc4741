/* Review: what waits for a decision, the surest first, one key each. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { changed, useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { IdLink } from "../components/entity";
import { type Decide, type Decision, EditProposal, MergeProposal, type Proposal } from "../components/proposal_dialogs";
import type { Graph } from "../graph";
import { address, type ViewProperties } from "../router";
import { failed, record } from "../toasts";
import type { ToolAnswers, ToolArguments } from "../tools";
import { count, title, words } from "../wording";

const LISTED = 50;

type Answer = ToolAnswers["review_proposals"];
type Kind = NonNullable<ToolArguments["review_proposals"]["kinds"]>[number];

export function ReviewView({ graph, here }: ViewProperties) {
  const kind = here.parameters.get("kind");
  const decisions = useDecisions();
  const waiting = useAnswer(async () => {
    const asked = decisions.count();
    return { ...(await graph.call("review_proposals", { limit: LISTED, ...(kind && { kinds: [kind as Kind] }) })), asked };
  }, [kind]);
  return (
    <article class="review">
      <h1>Review</h1>
      <Answered waiting={waiting}>
        {(answer) => (
          <>
            <Kinds counts={answer.counts} chosen={kind} />
            <Queue
              graph={graph}
              proposals={answer.proposals.filter((each) => !decisions.isSince(each.id, answer.asked))}
              decided={decisions.add}
              total={answer.total}
              waiting={answer.waiting ?? 0}
            />
            <Quiet graph={graph} quiet={answer.quiet ?? []} />
            {answer.closed && (
              <details>
                <summary>{count(answer.closed_total ?? answer.closed.length, "proposal")} closed automatically</summary>
                <ul>
                  {answer.closed.map((each) => (
                    <li key={each.id}>
                      {each.statement} <span class="quiet">{each.reason}</span>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Answered>
    </article>
  );
}

/* What was decided here, in order: what is decided gives way to the next at once, and a list that was asked for before still has it. */
function useDecisions() {
  const made = useRef(new Map<string, number>());
  const last = useRef(0);
  const [, redraw] = useState(0);
  return {
    count: () => last.current,
    isSince: (id: string, count: number) => (made.current.get(id) ?? 0) > count,
    add: (id: string) => {
      last.current += 1;
      made.current.set(id, last.current);
      redraw(last.current);
    },
  };
}

function Kinds({ counts, chosen }: { counts: Record<string, number>; chosen: string | null }) {
  const kinds = Object.entries(counts);
  if (kinds.length < 2 && !chosen) return null;
  return (
    <nav class="chips" aria-label="Kinds of proposals">
      <a href={address("review")} aria-current={chosen ? undefined : "true"}>
        All
      </a>
      {kinds.map(([kind, number]) => (
        <a key={kind} href={address("review", "", { kind })} aria-current={chosen === kind ? "true" : undefined}>
          {title(kind)} {number}
        </a>
      ))}
    </nav>
  );
}

interface QueueProperties {
  graph: Graph;
  proposals: Proposal[];
  decided: (id: string) => void;
  total: number;
  waiting: number;
}

function Queue({ graph, proposals, decided, total, waiting }: QueueProperties) {
  const [skipped, setSkipped] = useState<Set<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState<"edit" | "merge" | null>(null);
  const card = useRef<HTMLElement>(null);
  const left = proposals.filter((proposal) => !skipped.has(proposal.id));
  const proposal = left[0] ?? null;
  const editable = graph.editable();
  const mergeable = proposal?.kind === "new_entity";

  const decide: Decide = async (which, decision, more = {}) => {
    setBusy(true);
    const done = await decideOne(graph, which, decision, more, () => decided(which.id));
    setBusy(false);
    card.current?.focus();
    return done;
  };
  const skip = () => proposal && setSkipped(new Set([...skipped, proposal.id]));
  const accept = () => proposal && (proposal.needs?.length ? setOpen("edit") : void decide(proposal, "accept"));
  const actions: Record<string, () => unknown> = {
    y: accept,
    n: () => proposal && decide(proposal, "reject"),
    e: () => setOpen("edit"),
    m: () => mergeable && setOpen("merge"),
    s: skip,
  };
  // Before the next card is painted: a key that is pressed then means what is seen.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
      const action = actions[event.key.toLowerCase()];
      if (typing || open || !action || !proposal || event.metaKey || event.ctrlKey || event.altKey) return;
      if (!editable && event.key.toLowerCase() !== "s") return;
      event.preventDefault(); // N means reject here, and writes no note
      if (!busy) action();
    };
    window.addEventListener("keydown", press, true); // before those of every view
    return () => window.removeEventListener("keydown", press, true);
  });
  if (!proposal) {
    return (
      <div class="card">
        <p class="lead">{proposals.length ? "You have seen all of these." : "Nothing is waiting for a decision."}</p>
        {skipped.size > 0 && (
          <button type="button" onClick={() => setSkipped(new Set())}>
            Show skipped
          </button>
        )}
      </div>
    );
  }
  return (
    <>
      <p class="quiet" role="status">
        {count(total, "proposal")} to decide{waiting > 0 && `, and ${waiting.toLocaleString("en")} more when there is room`}
      </p>
      <section class="card proposal" ref={card} tabIndex={-1} aria-label="Proposal">
        <p class="kind">
          {title(proposal.kind)} <span class="quiet">{Math.round(proposal.score * 100)} %</span>
        </p>
        <h2 aria-live="polite">{proposal.statement}</h2>
        {proposal.rests_on.length > 0 && (
          <div class="rests-on">
            <h3>Based on</h3>
            <ul>
              {proposal.rests_on.map((each, position) => (
                <li key={position}><IdLink id={each.id} text={each.text} /></li>
              ))}
            </ul>
            {proposal.rests_on_total > proposal.rests_on.length && <p class="quiet">and {proposal.rests_on_total - proposal.rests_on.length} more</p>}
          </div>
        )}
        <p class="effect">
          Accepting would: <strong>{proposal.effect ?? words(proposal.call.tool)}</strong>
        </p>
        <details>
          <summary>The call this makes</summary>
          <p>
            <code>{proposal.call.tool}</code>
          </p>
          <pre>{JSON.stringify(proposal.call.arguments, null, 2)}</pre>
        </details>
        {editable && (
          <div class="buttons left">
            <button type="button" class="primary" disabled={busy} onClick={accept}>
              Accept <kbd>Y</kbd>
            </button>
            <button type="button" disabled={busy} onClick={actions.n}>
              Reject <kbd>N</kbd>
            </button>
            <button type="button" disabled={busy} onClick={() => setOpen("edit")}>
              Edit <kbd>E</kbd>
            </button>
            {mergeable && (
              <button type="button" disabled={busy} onClick={() => setOpen("merge")}>
                Other name of … <kbd>M</kbd>
              </button>
            )}
            <button type="button" class="plain" disabled={busy} onClick={skip}>
              Skip <kbd>S</kbd>
            </button>
          </div>
        )}
      </section>
      {left.length > 1 && (
        <>
          <h2>Next</h2>
          <ul class="next">
            {left.slice(1, 9).map((each) => (
              <li key={each.id}>
                <span class="quiet">{words(each.kind)}</span> {each.statement}
              </li>
            ))}
          </ul>
        </>
      )}
      {open === "edit" && <EditProposal graph={graph} proposal={proposal} decide={decide} close={() => setOpen(null)} />}
      {open === "merge" && <MergeProposal graph={graph} proposal={proposal} decide={decide} close={() => setOpen(null)} />}
    </>
  );
}

/* A decision that failed leaves the proposal open, and says why. */
async function decideOne(graph: Graph, proposal: Proposal, decision: Decision, more: Record<string, unknown>, decided: () => void): Promise<boolean> {
  try {
    const answer = await graph.call("review_proposals", { limit: 0, decide: [{ id: proposal.id, decision, ...more }] });
    const [result] = answer.decisions ?? [];
    if (!result?.done) {
      failed({ message: result?.message ?? "Nothing was decided.", hint: result?.hint ?? "" });
      changed();
      return false;
    }
    record(result.message, result.call ? [result.call] : []);
    decided();
    changed();
    return true;
  } catch (error) {
    failed(error);
    return false;
  }
}

async function wake(graph: Graph, kind: string): Promise<void> {
  try {
    const answer = await graph.call("review_proposals", { wake: [kind as Kind], limit: 0 });
    record(`${title(kind)} is proposed again.`, answer.woken_call ? [answer.woken_call] : []);
  } catch (error) {
    failed(error);
  }
  changed();
}

function Quiet({ graph, quiet }: { graph: Graph; quiet: NonNullable<Answer["quiet"]> }) {
  if (!quiet.length) return null;
  return (
    <section>
      <h2>Muted kinds</h2>
      <p class="quiet">These are no longer proposed, because too few were accepted.</p>
      <ul>
        {quiet.map((each) => (
          <li key={each.kind}>
            {title(each.kind)}: {each.accepted} of {each.decided} accepted{" "}
            <button type="button" class="small" onClick={() => wake(graph, each.kind)}>
              Propose again
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
