import type { Notifier } from "../core/notifier.ts";
import { kinds } from "../core/vocabulary.ts";
import { code, table } from "./markdown.ts";
import { settingsTable } from "./settings-table.ts";

const units = { bytes: "bytes", utf16: "characters", codePoints: "code points", graphemes: "graphemes" } as const;

/** The overview of all notifiers, a row each. */
export function notifierTable(notifiers: readonly Notifier[]): string {
  return table(
    ["Notifier", "What it does", "For", "Needs", "Title / body at most", "Urgency", "Afterwards", "From"],
    notifiers.map(row),
  );
}

/** A section per notifier: example and settings. */
export function notifierSections(notifiers: readonly Notifier[]): string {
  return notifiers.map(section).join("\n\n");
}

function row(notifier: Notifier): string[] {
  const { name, summary, audience, at, settings, limits, source, urgency, update, withdraw } = notifier;
  const needed = Object.entries(settings.shape).filter(([, schema]) => !schema.safeParse(undefined).success);
  const count = (number: number) => number.toLocaleString("en");
  return [
    `[${code(name)}](#${name})`,
    summary,
    at === "desk" ? `${audience}, at the desk` : audience,
    needed.length === 0 ? "nothing" : needed.map(([key]) => code(key)).join(", "),
    `${count(limits.title)} / ${count(limits.body)} ${units[limits.unit]}`,
    urgency ? kinds.map((kind) => String(urgency[kind])).join(", ") : "",
    [update && "updated", withdraw && "withdrawn"].filter(Boolean).join(", "),
    `[source](${source})`,
  ];
}

function section({ name, summary, settings, example }: Notifier): string {
  const sample = oneLine({ type: name, ...(example as object) });
  return [`### ${name}`, summary, `\`\`\`jsonc\n"my-${name}": ${sample}\n\`\`\``, settingsTable(settings)]
    .filter(Boolean)
    .join("\n\n");
}

/** JSON on one line, with spaces where people put them. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}
