/* A link to an entity with the colour of its type, and the sign of a type alone. */
import type { Ref } from "../graph";
import { linkOf, colourOf, words } from "../wording";

export function EntityLink({ entity }: { entity: Ref }) {
  if (!entity.id) return <span>{entity.name}</span>;
  return (
    <a class="entity" href={linkOf(entity)} title={entity.type ? words(entity.type) : undefined}>
      {entity.type && <TypeDot type={entity.type} />}
      {entity.name}
    </a>
  );
}

export function TypeDot({ type }: { type: string }) {
  return <span class={`dot colour-${colourOf(type)}`} aria-hidden="true" />;
}
