// Writes src/arguments.ts, the arguments of every tool as types, from their schemas: `npm run check` refuses a call with any other.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const SCHEMAS = fileURLToPath(new URL("../schemas/v1", import.meta.url));
const NAMES = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null", object: "object" };

function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const kinds = [schema.type ?? []].flat();
  if (!kinds.length) return "unknown";
  return kinds.map((kind) => (kind === "array" ? `readonly (${typeOf(schema.items ?? {})})[]` : NAMES[kind])).join(" | ");
}

const tools = readdirSync(SCHEMAS, { recursive: true })
  .filter((file) => file.endsWith(".input.json"))
  .sort()
  .map((file) => {
    const { properties, required = [] } = JSON.parse(readFileSync(`${SCHEMAS}/${file}`, "utf8"));
    const fields = Object.entries(properties).map(([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`);
    return `  ${basename(file, ".input.json")}: { ${fields.join("; ")} };`;
  });
writeFileSync(fileURLToPath(new URL("src/arguments.ts", import.meta.url)), `export interface ToolArguments {\n${tools.join("\n")}\n}\n`);
