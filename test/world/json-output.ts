import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { kebabCase } from "../../src/core/vocabulary.ts";
import { endpoints } from "../../src/service/endpoints.ts";

/** Output of a command with `--json`: one object, or one object per line. */
interface CommandOutput {
  readonly isLines: boolean;
  readonly schema: z.ZodType;
}

/** Text of the types that `docs/output.d.ts` declares. */
export const outputTypes = readFileSync(join(import.meta.dirname, "..", "..", "docs", "output.d.ts"), "utf8");

/** Numbers that need not be whole. */
const fractions = ["tokens", "credits", "calls", "held", "finished", "failed", "usedPercent"];

const schemas = new Map([...`${outputTypes}\n`.matchAll(/^export type (\w+) =([\s\S]*?;)\n\n/gm)].map(readType));

/** Declared outputs of commands, by command, such as `config check`. Those of `beckon service` are separate. */
export const commandOutputs: Readonly<Record<string, CommandOutput>> = Object.fromEntries(
  [...outputTypes.matchAll(/^\/\*\* (Each line|Output) of `beckon (.*) --json`\. \*\/\nexport type (\w+)/gm)].map(
    ([, form, command = "", type = ""]) => [command, { isLines: form === "Each line", schema: schemaNamed(type) }],
  ),
);

/** Outputs of `beckon service`. docs/service-api.md has the fields of an operation's rows. */
export const serviceOutputs: Readonly<Record<string, CommandOutput>> = {
  "service report": { isLines: false, schema: z.looseObject({}) },
  "service api": { isLines: false, schema: z.unknown() },
  ...Object.fromEntries(
    endpoints.map(({ name, items }) => {
      const words = name.split(".").map(kebabCase).join(" ");
      return [`service ${words}`, { isLines: items !== undefined, schema: z.looseObject({}) }];
    }),
  ),
};

/**
 * Parses what a command prints with `--json`, and compares it with the declaration of the command's output. A command
 * that prints one object has a list of one.
 */
export function readOutput(command: string, stdout: string): Record<string, unknown>[] {
  const output = { ...commandOutputs, ...serviceOutputs }[command];
  if (!output) throw new Error(`${command} declares no output`);
  const lines = stdout === "" ? [] : stdout.replace(/\n$/, "").split("\n");
  if (!output.isLines && lines.length !== 1)
    throw new Error(`${command} printed ${lines.length} lines instead of one object:\n${stdout}`);
  return lines.map((line) => {
    const value = JSON.parse(line);
    const { error } = output.schema.safeParse(value);
    if (error) throw new Error(`${command} printed ${line}:\n${z.prettifyError(error)}`);
    return value;
  });
}

function schemaNamed(name: string): z.ZodType {
  return z.lazy(() => {
    const schema = schemas.get(name);
    if (!schema) throw new Error(`docs/output.d.ts declares no ${name}`);
    return schema;
  });
}

/** Reads a type as a schema that refuses unknown fields. Knows the forms that `docs/output.d.ts` uses. */
function readType([, name = "", text = ""]: readonly string[]): [string, z.ZodType] {
  const tokens: string[] = text.replace(/\/\*\*.*?\*\//g, "").match(/"[^"]*"|\w+|[^\s\w]/g) ?? [];
  const isNext = (token: string): boolean => tokens[0] === token && tokens.shift() !== undefined;
  const union = (field: string): z.ZodType => {
    isNext("|");
    const parts = [list(field)];
    while (isNext("|")) parts.push(list(field));
    return parts.length === 1 ? (parts[0] as z.ZodType) : z.union(parts);
  };
  const list = (field: string): z.ZodType => {
    isNext("readonly");
    const item = single(field);
    if (!isNext("[")) return item;
    tokens.shift();
    return z.array(item);
  };
  const single = (field: string): z.ZodType => {
    const token = tokens.shift() ?? "";
    if (token === "{") return fields();
    if (token === "(") return closed(")", () => union(field));
    if (token === "Record") {
      tokens.splice(0, 3); // <string,
      return closed(">", () => z.record(z.string(), union(field)));
    }
    if (/^"|true$/.test(token)) return z.literal(JSON.parse(token));
    if (token === "number") return fractions.includes(field) ? z.number() : z.int().nonnegative();
    const plain = { string: z.string(), boolean: z.boolean(), unknown: z.unknown() }[token];
    return plain ?? schemaNamed(token);
  };
  const closed = (end: string, read: () => z.ZodType): z.ZodType => {
    const schema = read();
    if (!isNext(end)) throw new Error(`${name} lacks ${end} before ${tokens.slice(0, 5).join(" ")}`);
    return schema;
  };
  const fields = (): z.ZodType => {
    const shape: Record<string, z.ZodType> = {};
    while (!isNext("}")) {
      if (isNext("[")) {
        tokens.splice(0, tokens.indexOf("}") + 1);
        return z.looseObject(shape);
      }
      const field = tokens.shift() ?? "";
      const isOptional = isNext("?");
      tokens.shift();
      const schema = closed(";", () => union(field));
      shape[field] = isOptional ? schema.optional() : schema;
    }
    return z.strictObject(shape);
  };
  if (name === "Time") return [name, z.iso.datetime()];
  return [name, name === "Day" ? z.iso.date() : closed(";", () => union(""))];
}

/** Parses the error that a command prints to standard error with `--json`: the last line. */
export function readError(stderr: string): { readonly code: string; readonly message: string; readonly hint?: string } {
  const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
  return z
    .strictObject({ code: z.string().min(1), message: z.string().min(1), hint: z.string().min(1).optional() })
    .parse(error) as { code: string; message: string; hint?: string };
}
