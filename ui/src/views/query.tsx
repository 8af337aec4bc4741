/* Query: openCypher with completion; the result as a table or a picture. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asCallError } from "../answers";
import { Failure } from "../components/answer";
import { svgOf } from "../components/drawing";
import { Picture, pictureOf } from "../components/picture";
import { SavePicture } from "../components/save";
import { ResultTable } from "../components/result_table";
import type { CallError } from "../graph";
import type { ToolAnswers } from "../tools";
import { address, replace, type ViewProperties } from "../router";
import { count } from "../wording";
import { failed } from "../toasts";

const EXAMPLES = [
  "MATCH (p:Person)-[r]->(x) RETURN p.name, type(r), x.name LIMIT 50",
  "MATCH (a)-[r]->(b) RETURN a, r, b LIMIT 40",
  "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS number ORDER BY number DESC",
];

export function QueryView({ graph, here }: ViewProperties) {
  const [query, setQuery] = useState(here.parameters.get("q") ?? EXAMPLES[0]!);
  const [answer, setAnswer] = useState<ToolAnswers["run_query"] | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const [busy, setBusy] = useState(false);
  const asPicture = here.parameters.get("as") === "picture";
  const show = (as: string) => replace(address("query", "", { q: here.parameters.get("q") ?? query, ...(as && { as }) }));
  const run = async () => {
    setBusy(true);
    setError(null);
    if (query !== here.parameters.get("q")) replace(address("query", "", { q: query }));
    try {
      setAnswer(await graph.call("run_query", { query, limit: 1000 }));
    } catch (problem) {
      setAnswer(null);
      setError(asCallError(problem));
    }
    setBusy(false);
  };
  useEffect(() => {
    if (here.parameters.has("q")) void run();
  }, []);
  const picture = answer ? pictureOf(answer.rows) : null;
  return (
    <article>
      <h1>Query</h1>
      <Editor graph={graph} query={query} change={setQuery} run={run} />
      <div class="buttons left">
        <button type="button" class="primary" disabled={busy || !query.trim()} onClick={run}>
          Run <kbd>Ctrl ↵</kbd>
        </button>
        {EXAMPLES.map((example, position) => (
          <button key={example} type="button" onClick={() => setQuery(example)}>
            Example {position + 1}
          </button>
        ))}
      </div>
      <div aria-live="polite">
        {busy && <p class="quiet loading" aria-busy="true">Running …</p>}
        {error && <Failure error={error} />}
        {answer && (
          <>
            <div class="title-row">
              <p class="quiet">
                {count(answer.rows.length, "row")}
                {answer.truncated && " (there are more)"} in {Math.round(answer.execution_ms)} ms
                {answer.auto_fixes.map((fix) => ` · corrected: ${fix}`)}
              </p>
              {picture && (
                <div class="buttons" role="group" aria-label="Show the result as">
                  <button type="button" aria-pressed={!asPicture} onClick={() => show("")}>
                    Table
                  </button>
                  <button type="button" aria-pressed={asPicture} onClick={() => show("picture")}>
                    Picture
                  </button>
                  {asPicture && <SavePicture name="query" draw={() => svgOf(document.querySelector(".picture-frame")!)} />}
                </div>
              )}
            </div>
            {answer.warnings.map((warning) => (
              <p class="hint">{warning}</p>
            ))}
            {picture && asPicture ? <Picture picture={picture} /> : <ResultTable columns={answer.columns} rows={answer.rows} />}
          </>
        )}
      </div>
    </article>
  );
}

type Words = ToolAnswers["list_query_words"];

interface EditorProperties extends Pick<ViewProperties, "graph"> {
  query: string;
  change: (query: string) => void;
  run: () => void;
}

function Editor({ graph, query, change, run }: EditorProperties) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [known, setKnown] = useState<Words | null>(null);
  const [before, setBefore] = useState(""); // what stands before the caret, while completions are offered
  const options = known && before ? proposals(known, before) : [];
  const [active, setActive] = useState(0);
  const place = useRef<number | null>(null); // of the caret, after a completion
  useLayoutEffect(() => {
    if (place.current !== null) field.current?.setSelectionRange(place.current, place.current);
    place.current = null;
  }, [query]);
  useEffect(() => {
    graph.call("list_query_words", {}).then(setKnown, failed);
  }, []);
  const type = (text: string) => {
    change(text);
    const caret = field.current?.selectionStart ?? text.length;
    setBefore(text.slice(0, caret));
    setActive(0);
  };
  const accept = (option: string) => {
    const element = field.current!;
    const caret = element.selectionStart;
    const start = caret - /[\w]*$/.exec(query.slice(0, caret))![0].length;
    change(query.slice(0, start) + option + query.slice(caret));
    setBefore("");
    place.current = start + option.length;
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setBefore("");
      run();
    } else if (options.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setActive((active + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length);
    } else if (options.length && event.key === "Enter" && options[active]) {
      event.preventDefault();
      accept(options[active]);
    } else if (options.length && event.key === "Escape") {
      event.preventDefault();
      setBefore("");
    }
  };
  return (
    <div class="editor picker">
      <textarea
        ref={field}
        rows={4}
        spellcheck={false}
        autocomplete="off"
        aria-label="Query in openCypher"
        aria-haspopup="listbox"
        aria-controls="completions"
        aria-autocomplete="list"
        aria-activedescendant={options.length ? `completion-${active}` : undefined}
        value={query}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={key}
        onBlur={() => setBefore("")}
      />
      <ul id="completions" role="listbox" aria-label="Completions" hidden={!options.length}>
        {options.map((option, position) => (
          <li key={option} id={`completion-${position}`} role="option" aria-selected={position === active} onMouseDown={(event) => (event.preventDefault(), accept(option))}>
            {option}
          </li>
        ))}
      </ul>
    </div>
  );
}

/* What may stand at the end of the text: a label, a relationship type, a property, or a keyword or function. */
function proposals(known: Words, before: string): string[] {
  const word = /[\w]*$/.exec(before)![0];
  const context = before.slice(0, before.length - word.length);
  const kinds = /\[[^\]]*[:|]\s*$/.test(context)
    ? known.types
    : /\([^)]*[:|&]\s*$/.test(context)
      ? known.labels
      : /\w\.$/.test(context)
        ? known.properties
        : word
          ? [...known.keywords, ...known.functions.map((name) => name + "(")]
          : [];
  const begins = kinds.filter((option) => option.toLowerCase().startsWith(word.toLowerCase()) && option !== word);
  return begins.slice(0, 8);
}
