/* A text exactly as it was remembered or ingested, with the entities that it mentions. */
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink } from "../components/entity";
import { localTime } from "../dates";
import type { EmbeddedGraph } from "../embedded";
import { CallError, type Graph, type Ref } from "../graph";
import { failed } from "../toasts";
import type { ViewProperties } from "./list";

interface Document {
  name: string;
  at: string | null;
  source: string | null;
  text: string;
  truncated: boolean;
  mentions: Ref[];
}

export function TextView({ graph, here }: ViewProperties) {
  const waiting = useAnswer(() => read(graph, here.argument), [here.argument]);
  return (
    <Answered waiting={waiting} heading="Not there">
      {(text) => (
        <article class="text">
          <h1>{text.name}</h1>
          <p class="quiet">{[localTime(text.at), text.source].filter(Boolean).join(" · ")}</p>
          {text.mentions.length > 0 && (
            <ul class="chips" aria-label="Mentions">
              {text.mentions.map((entity) => (
                <li key={entity.id}>
                  <EntityLink entity={entity} />
                </li>
              ))}
            </ul>
          )}
          <div class="full-text">{text.text}</div>
          {text.truncated && <p class="quiet">The text goes on.</p>}
        </article>
      )}
    </Answered>
  );
}

async function read(graph: Graph, id: string): Promise<Document> {
  if (!graph.live) {
    const text = await (graph as EmbeddedGraph).text(id);
    const mentions = await Promise.all(text.nodes.map((node: number) => graph.entity(String(node))));
    return { name: text.name, at: text.at, source: text.kind, text: text.text, truncated: false, mentions };
  }
  const [document, context] = await Promise.all([
    graph.call("get_full_document", { doc_id: id, max_characters: 200_000 }),
    graph.call("get_episode_context", { episode_uuids: [id] }).catch((error) => (failed(error), { nodes: [] })),
  ]);
  if (!document.found) throw new CallError("EPISODE_NOT_FOUND", "There is no such text any more.", "It may have been forgotten: look at History.");
  return {
    name: document.name,
    at: document.valid_at,
    source: document.source,
    text: document.text,
    truncated: Boolean(document.truncated),
    // A name that is only proposed has no page yet: it waits in Review.
    mentions: context.nodes.filter((node: { uuid: string }) => node.uuid.startsWith("ent_")).map((node: { uuid: string; name: string; type: string }) => ({ id: node.uuid, name: node.name, type: node.type })),
  };
}
