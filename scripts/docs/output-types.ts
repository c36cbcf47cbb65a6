import * as z from "zod";
import { answerOutputs, dailyOutputs } from "../../src/cli/output/daily-outputs.ts";
import { type CommandOutput, printsLines, printsObject } from "../../src/cli/output/declare.ts";
import { inspectionOutputs } from "../../src/cli/output/inspection-outputs.ts";
import { relayOutputs } from "../../src/cli/output/relay-outputs.ts";
import { setupOutputs } from "../../src/cli/output/setup-outputs.ts";
import { kebabCase } from "../../src/core/vocabulary.ts";
import { endpoints } from "../../src/service/endpoints.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const maxColumns = 120;
const head = `// Output of commands with \`--json\`. Written by \`npm run docs\`.

/** Instant, ISO 8601 in UTC. */
export type Time = string;

/** Local calendar day, such as 2026-11-21. */
export type Day = string;
`;

/** Returns TypeScript types of the output of every command, named like the commands, and the types they share. */
export function outputTypes(): string {
  const shared = new Map<string, JsonSchema>();
  const types = Object.entries(commandOutputs).map(([command, { form, schema }]) => {
    const json = z.toJSONSchema(schema, { unrepresentable: "any" });
    for (const [name, definition] of Object.entries(json.$defs ?? {})) shared.set(name, definition as JsonSchema);
    const what = form === "lines" ? "Each line of" : "Output of";
    return `/** ${what} \`beckon ${command} --json\`. */\n${declare(toTypeName(command), json)}`;
  });
  const others = [...shared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => declare(name, schema));
  return [head, ...types, ...others].join("\n");
}

/** Converts the words of a command to the name of its type: `config check` becomes `ConfigCheck`. */
function toTypeName(command: string): string {
  return command.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function declare(name: string, schema: JsonSchema): string {
  const line = `export type ${name} = ${formatType(schema, "")};`;
  const isTooLong = line.length > maxColumns && !line.includes("\n");
  return `${isTooLong ? line.replace(" = ", " =\n  | ").replaceAll(/(?<="|\w) \| /g, "\n  | ") : line}\n`;
}

/** Formats a schema as a TypeScript type. */
function formatType(schema: JsonSchema, indent: string): string {
  const { $ref, anyOf, enum: words, const: word, format, type } = schema;
  if ($ref !== undefined) return $ref.replace("#/$defs/", "");
  if (anyOf) return anyOf.map((part) => formatType(part as JsonSchema, indent)).join(" | ");
  const values = word === undefined ? words : [word];
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (format === "date-time") return "Time";
  if (format === "date") return "Day";
  if (type === "array") return `${formatType(schema.items as JsonSchema, indent)}[]`;
  if (type === "object") return formatObject(schema, indent);
  return type === "integer" ? "number" : String(type);
}

function formatObject({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const isOpen = typeof additionalProperties === "object";
  const entries = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  if (entries.length === 0) {
    const isTyped = isOpen && Object.keys(additionalProperties).length > 0;
    return `Record<string, ${isTyped ? formatType(additionalProperties, indent) : "unknown"}>`;
  }
  const within = `${indent}  `;
  const fields = entries.flatMap(([name, property]) => [
    ...(property.description === undefined ? [] : [`/** ${property.description} */`]),
    `${name}${required.includes(name) ? "" : "?"}: ${formatType(property, within)};`,
  ]);
  const rest = isOpen ? ["[name: string]: unknown;"] : [];
  return `{\n${[...fields, ...rest].map((line) => `${within}${line}\n`).join("")}${indent}}`;
}

/** Outputs of commands with `--json`, by command, such as `config check`. Those of `beckon service` are separate. */
export const commandOutputs: Readonly<Record<string, CommandOutput>> = {
  ...setupOutputs,
  ...dailyOutputs,
  ...answerOutputs,
  ...inspectionOutputs,
  ...relayOutputs,
};

/** Outputs of `beckon service`. docs/service-api.md has the fields of an operation's rows. */
export const serviceOutputs: Readonly<Record<string, CommandOutput>> = {
  "service report": printsObject(z.looseObject({})),
  "service api": printsObject(z.unknown()),
  ...Object.fromEntries(
    endpoints.map(({ name, items }) => {
      const words = name.split(".").map(kebabCase).join(" ");
      return [`service ${words}`, (items === undefined ? printsObject : printsLines)(z.looseObject({}))];
    }),
  ),
};

/** Commands without `--json`, with the reason. */
export const withoutJson: Readonly<Record<string, string>> = {
  "config edit": "opens an editor",
  mcp: "its output is the protocol's",
  run: "its output is the command's",
  completion: "prints a shell script",
  "relay serve": "its output is the relay's protocol",
};
