import * as z from "zod";
import { englishCatalogue } from "../../src/config/catalogues.ts";
import { variantsText } from "../../src/config/check.ts";
import type { Lifecycle, Notifier } from "../../src/core/notifier.ts";
import { isSecret } from "../../src/core/secret.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { code } from "./markdown.ts";

const units = { bytes: "bytes", utf16: "characters", codePoints: "code points", graphemes: "graphemes" } as const;

const groups = {
  desk: "Here",
  person: "To you",
  team: "To a team",
  machine: "To a program",
} as const;

/** Settings of many notifiers, explained at the top of the page. */
const explainedOnce = new Set(["ca", "states"]);

/** Phrases that say what happens to a resolved message. */
const fates = {
  removed: "resolved messages are removed",
  silenced: "resolved messages stop ringing",
  "marked as done": "messages are edited",
  resolved: "resolved alerts end",
  reported: "reports later changes",
} as const satisfies Record<NonNullable<Lifecycle<unknown>["withdrawn"]>, string>;

/** Lists all notifiers by audience, as Markdown. */
export function notifierIndex(notifiers: readonly Notifier[]): string {
  return Object.entries(groups)
    .map(([group, title]) => {
      const members = notifiers.filter(({ at, audience }) => (at === "desk" ? "desk" : audience) === group);
      return `- ${title}: ${members.map(({ name }) => `[${name}](#${name})`).join(", ")}`;
    })
    .join("\n");
}

/** Writes a section for each notifier: its summary, example and settings, and what to expect of its messages. */
export function notifierSections(notifiers: readonly Notifier[]): string {
  return notifiers.map(section).join("\n\n");
}

function section(notifier: Notifier): string {
  const { name, summary, settings, variants, example } = notifier;
  const sample = oneLine({ type: name, ...(example as object) });
  const own = settingsIn(settings).filter((setting) => !explainedOnce.has(setting.name));
  const choice = variants ? ` Set ${variantsText(variants)}.` : "";
  return [
    `### ${name}`,
    `${summary}${choice}`,
    `\`\`\`jsonc\n"my-${name}": ${sample}\n\`\`\``,
    own.map(settingLine).join("\n"),
    expectations(notifier),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Describes a notifier's limits, urgency, later changes of messages, and source, in sentences. */
function expectations({ limits, urgency, lifecycle, source }: Notifier): string {
  const count = (number: number) => number.toLocaleString("en");
  const fate = lifecycle ? describeLifecycle(lifecycle) : "";
  return [
    `Limit: ${count(limits.title)}/${count(limits.body)} ${units[limits.unit]}.`,
    urgency && `Urgency: ${kinds.map((kind) => urgency[kind]).join(", ")}.`,
    fate && `${fate[0]?.toUpperCase()}${fate.slice(1)}.`,
    `[Source](${source})`,
  ]
    .filter(Boolean)
    .join(" ");
}

function describeLifecycle({
  withdrawn,
  replaces,
  inThread,
  buttons = [],
  answers,
  condition,
}: Lifecycle<never>): string {
  const facts = [
    withdrawn && fates[withdrawn],
    replaces && "a session's next message replaces the last one",
    inThread && "one thread per session",
    buttons.length > 0 && `buttons: ${buttons.map((button) => englishCatalogue.buttons[button]).join(", ")}`,
    answers && "can carry [answers](answers.md)",
  ];
  return `${facts.filter(Boolean).join("; ")}${condition ? ` (${condition})` : ""}`;
}

/** Formats a value as JSON on one line, with spaces after colons and commas. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}

/** One setting of a schema. */
interface Setting {
  readonly name: string;
  readonly description: string;
  /** Remarks such as `required`, `secret` or `default …`. */
  readonly remarks: readonly string[];
}

/** Lists the settings in an object's schema. */
function settingsIn(schema: z.ZodObject): Setting[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(json.properties ?? {}).map(([name, property]) => {
    const { description = "" } = property as { description?: string };
    const setting = schema.shape[name] as z.ZodType;
    // Parsed, because the JSON schema shows an object's default as `{}`; then encoded as in the file.
    const parsed = setting.safeParse(undefined).data;
    const byDefault = parsed === undefined ? undefined : JSON.stringify(z.encode(setting, parsed));
    const remarks = [
      json.required?.includes(name) ? "required" : "",
      isSecret(setting) ? "secret" : "",
      byDefault !== undefined && byDefault !== "false" ? `default ${code(byDefault)}` : "",
    ];
    return { name, description, remarks: remarks.filter((remark) => remark !== "") };
  });
}

/** Formats a setting as a list item: name, remarks, description. */
function settingLine({ name, description, remarks }: Setting): string {
  const inBrackets = remarks.length > 0 ? ` (${remarks.join(", ")})` : "";
  return `- ${code(name)}${inBrackets}: ${description}`;
}

/** Formats all settings of a schema as a list. */
export function settingsList(schema: z.ZodObject): string {
  return settingsIn(schema).map(settingLine).join("\n");
}
