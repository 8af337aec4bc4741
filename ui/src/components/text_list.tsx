/* Texts with the sentence that matters and where they come from. */
import type { Text } from "../graph";
import { address } from "../router";
import { When } from "./when";

export function TextList({ texts, name }: { texts: Text[]; name?: string }) {
  return (
    <ul class="texts">
      {texts.map((text) => (
        <li key={text.id}>
          <a href={address("text", text.id ?? "")}>{text.name}</a>{" "}
          <span class="quiet">
            <When at={text.at} />
            {text.source && ` · ${text.source}`}
          </span>
          {text.quote && !text.name.includes(text.quote) && <blockquote>{name ? <Marked text={text.quote} name={name} /> : text.quote}</blockquote>}
        </li>
      ))}
    </ul>
  );
}

function Marked({ text, name }: { text: string; name: string }) {
  const at = text.toLowerCase().indexOf(name.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + name.length)}</mark>
      {text.slice(at + name.length)}
    </>
  );
}
