/*
Access to the graph: one interface, answered by a running server (live.ts) or by data in the page (embedded.ts).

The data in the page is JSON, deflated (zlib) and base64, in <script type="application/json" id="graph">, as one JSON string.
The template has the comment <!--graph--> where that element goes. References between rows are positions in the arrays.

{
  "format": 1,
  "title":        "Atlas",                 what the page is about, or the name of the graph
  "generated_at": "2026-11-22T20:31:15Z",
  "as_of":        null | "2026-11-01",
  "about":        null | 0,                position of the entity to begin with
  "truncated":    false,                   true where the graph holds more than is here
  "types":        ["person", …],
  "predicates":   [["works_at", "works at", "employs" | null], …]      name, in words, name from the other end
  "sources":      ["her CV", …],
  "entities":     [[name, type, x, y, community | -1, summary | 0, aliases | 0], …]      type: position in types
  "facts":        [[subject, predicate, object, valid_from | 0, valid_to | 0, source | -1], …]
                                           object: position of an entity, or a string that is a literal
  "texts":        [[name, instant, text, [positions of the entities that it mentions]], …]
  "communities":  [[name, x, y, radius], …]
  "answers":      {"weekly_rollup": {…}, "recall_decisions": {…}}      optional: as the tools answer
}
Places are in any unit; the page scales them. facts may have ended ones: the page shows them as ended, and the slider of Time
reads valid_from (inclusive) and valid_to (exclusive).
*/
