import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { commonNotifierSettings, deliverySchema } from "../config/config-table.ts";
import { failureReasons } from "../core/errors.ts";
import type { Notifier } from "../core/notifier.ts";
import { isSecret } from "../core/secret.ts";
import { templateNames } from "../core/template.ts";
import { kinds } from "../core/vocabulary.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import { endpoints } from "../service/endpoints.ts";
import { agentHead, agentRow } from "./agent-row.ts";
import { endpointHead, endpointRow } from "./endpoint-row.ts";
import { code, table } from "./markdown.ts";

/** The generated blocks of README and docs/ by name, as Markdown. Made from the registries alone. */
export async function documentBlocks(): Promise<Readonly<Record<string, string>>> {
  const notifiers = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
  const sorted = notifiers.sort((a, b) => a.name.localeCompare(b.name, "en"));
  const lookups = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  return {
    agents: table(agentHead, agents.toSorted((a, b) => a.title.localeCompare(b.title, "en")).map(agentRow)),
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
    endpoints: table(endpointHead, endpoints.map(endpointRow)),
  };
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

/** JSON with spaces where people put them. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}

/** A row per setting: name, type, default, description. */
function settingsTable(schema: z.ZodObject): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const required = new Set(json.required ?? []);
  const rows = Object.entries(json.properties ?? {}).map(([key, property]) => {
    const { description = "" } = property as { description?: string };
    const setting = schema.shape[key] as z.ZodType;
    const secrecy = isSecret(setting) ? "secret" : "";
    // As it is read, since an object's own default is told as `{}`.
    const byDefault = setting.safeParse(undefined).data;
    const remark = required.has(key) ? "required" : byDefault === undefined ? "" : code(JSON.stringify(byDefault));
    return [code(key), description, [remark, secrecy].filter(Boolean).join(", ")];
  });
  return rows.length === 0 ? "" : table(["Setting", "", "Default"], rows);
}
