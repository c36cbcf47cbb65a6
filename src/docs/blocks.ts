import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { commonNotifierSettings, deliverySchema } from "../config/schema.ts";
import type { Agent, AgentSettings } from "../core/agent.ts";
import { failureReasons } from "../core/errors.ts";
import type { Notifier } from "../core/notifier.ts";
import { isSecret } from "../core/secret.ts";
import { templateNames } from "../core/template.ts";
import { kinds } from "../core/words.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import { earliestDay } from "../service/arguments.ts";
import { endpoints } from "../service/endpoints.ts";

/** The generated blocks of README and docs/ by name, as Markdown. Made from the registries alone. */
export async function documentBlocks(): Promise<Readonly<Record<string, string>>> {
  const notifiers = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
  const sorted = notifiers.sort((a, b) => a.name.localeCompare(b.name, "en"));
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  return {
    agents: table(
      ["Agent", "`--agent`", "Calls you at its", "Entries go into", "Then", "Known from"],
      agents.map(agentRow),
    ),
    notifiers: table(
      ["Notifier", "What it does", "Needs", "Title / body at most", "Urgency", "From"],
      sorted.map(notifierRow),
    ),
    settings: sorted.map(notifierSettings).join("\n\n"),
    common: settingsTable(commonNotifierSettings),
    lookups: table(
      ["Lookup", "What it finds", "Takes at most"],
      lookups.map(({ name, summary, budgetMs }) => [code(name), summary, `${budgetMs} ms`]),
    ),
    templates: table(
      ["Name", "Stands for"],
      Object.entries(templateNames).map(([name, meaning]) => [code(`{${name}}`), meaning]),
    ),
    delivery: settingsTable(deliverySchema),
    reasons: failureReasons.map(code).join(", "),
    endpoints: table(["Call", "Request", "Limits", "Pages", "Roles"], endpoints.map(endpointRow)),
  };
}

function agentRow({ title, name, settings, source, measured }: Agent): string[] {
  return [
    `[${title}](${source})`,
    code(name),
    Object.keys(settings?.register ?? {})
      .map(code)
      .join(", "),
    settings ? entriesOf(settings) : "",
    settings?.afterInstall.join(" ") ?? "",
    measured ? `measured: ${measured.join(", ")}` : "its documents",
  ];
}

/** Where entries go, for the user and in a project, as on Linux with nothing moved. */
function entriesOf({ files }: AgentSettings): string {
  const place = { home: "~", project: ".", env: {}, platform: "linux" } as const;
  const cells = (["user", "project"] as const).flatMap((scope) => {
    const paths = files(scope, place).map(({ path }) => code(path.replaceAll("\\", "/")));
    const [last, ...preferred] = paths.toReversed();
    return last ? [[last, ...preferred.toReversed().map((path) => `or ${path} if there`)].join(", ")] : [];
  });
  return cells.join("; ");
}

function notifierRow({ name, summary, settings, limits, source, urgency }: Notifier): string[] {
  const needed = Object.entries(settings.shape).filter(([, schema]) => !schema.safeParse(undefined).success);
  const needs = needed.length === 0 ? "nothing" : needed.map(([key]) => code(key)).join(", ");
  const count = (number: number) => number.toLocaleString("en");
  const units = { bytes: "bytes", utf16: "characters", codePoints: "code points", graphemes: "graphemes" };
  return [
    `[${code(name)}](docs/notifiers.md#${name})`,
    summary,
    needs,
    `${count(limits.title)} / ${count(limits.body)} ${units[limits.unit]}`,
    urgency ? kinds.map((kind) => String(urgency[kind])).join(", ") : "",
    `[source](${source})`,
  ];
}

function notifierSettings({ name, summary, settings, example }: Notifier): string {
  const sample = oneLine({ type: name, ...(example as object) });
  return [`## ${name}`, summary, `\`\`\`jsonc\n"my-${name}": ${sample}\n\`\`\``, settingsTable(settings)]
    .filter(Boolean)
    .join("\n\n");
}

function endpointRow(endpoint: (typeof endpoints)[number]): string[] {
  const { name, method, base, path, status, query, body, daily, roles } = endpoint;
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part ?? "");
  const given = z.toJSONSchema(z.object({ ...query?.shape, ...body?.shape }), { io: "input", unrepresentable: "any" });
  const optional = (field: string) => (given.required?.includes(field) ? field : `${field}?`);
  const fields = Object.keys(given.properties ?? {})
    .map(optional)
    .join(", ");
  const limits = Object.entries(given.properties ?? {}).flatMap(([field, schema]) => limitOf(field, schema));
  const cursor = "paging" in endpoint ? endpoint.paging?.parameter : undefined;
  return [
    code(`${name}(${[...parts, fields && `{ ${fields} }`].filter(Boolean).join(", ")})`),
    `${code(`${method} {${base}}${path}`)}${status === 200 ? "" : `, answers ${status}`}`,
    [...(daily ? [`days from ${earliestDay} to yesterday, UTC`] : []), ...limits].join("; "),
    cursor === undefined ? "" : `by ${code(cursor)}`,
    roles?.join(", ") ?? "not shown",
  ];
}

/** What a parameter or field can be, as far as its schema says so. */
function limitOf(field: string, schema: unknown): string[] {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    format,
    const: only,
    enum: values,
  } = schema as z.core.JSONSchema.Schema;
  const listed = values ?? (only === undefined ? [] : [only]);
  if (listed.length > 0) return [`${code(field)} ${listed.map((value) => code(String(value))).join(", ")}`];
  if (minimum === 1) return [`${code(field)} ${(maximum ?? 0) < 1000 ? `1 to ${maximum}` : "1 or more"}`];
  if (maxLength !== undefined) return [`${code(field)} ${minLength} to ${maxLength} characters`];
  return format === "uuid" ? [`${code(field)} a UUID`] : [];
}

/** JSON with spaces where people put them. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}

/** A row per setting: name, type, default, description. */
function settingsTable(schema: z.ZodObject): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const required = new Set(json.required ?? []);
  const rows = Object.entries(json.properties ?? {}).map(([key, property]) => {
    const { description = "", default: byDefault } = property as { description?: string; default?: unknown };
    const secrecy = isSecret(schema.shape[key] as z.ZodType) ? "secret" : "";
    const remark = required.has(key) ? "required" : byDefault === undefined ? "" : code(JSON.stringify(byDefault));
    return [code(key), description, [remark, secrecy].filter(Boolean).join(", ")];
  });
  return rows.length === 0 ? "" : table(["Setting", "", "Default"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
