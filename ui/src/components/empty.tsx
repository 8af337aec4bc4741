/* What stands in a view that has nothing to show yet, with what waits in Review, such as after an import. */
import { useAnswer } from "../answers";
import type { Graph } from "../graph";
import { address } from "../router";
import { count } from "../wording";

export function NothingYet({ graph, text }: { graph: Graph; text: string }) {
  const { value: waiting } = useAnswer(() => (graph.live ? graph.call("review_proposals", { limit: 0 }) : Promise.resolve(null)), []);
  const total = waiting ? waiting.total + (waiting.waiting ?? 0) : 0;
  return (
    <p class="lead">
      {text}
      {total > 0 && (
        <>
          {" "}
          The texts propose names and facts: <a href={address("review")}>{count(total, "proposal")} to decide</a>.
        </>
      )}
    </p>
  );
}
