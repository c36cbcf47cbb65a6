import { englishCatalogue } from "../config/catalogues.ts";
import { variantsText } from "../config/variants.ts";
import type { Notifier } from "../core/notifier.ts";
import { kinds } from "../core/vocabulary.ts";
import { code, table } from "./markdown.ts";
import { settingsTable } from "./settings-table.ts";

const units = { bytes: "bytes", utf16: "characters", codePoints: "code points", graphemes: "graphemes" } as const;

/** The overview of all notifiers, a row each. */
export function notifierTable(notifiers: readonly Notifier[]): string {
  return table(
    ["Notifier", "What it does", "For", "Needs", "Title / body at most", "Urgency", "From"],
    notifiers.map(row),
  );
}

/**
 * What becomes of messages that were sent, a row for each notifier whose messages can be changed or stand in a thread.
 */
export function lifecycleTable(notifiers: readonly Notifier[]): string {
  return table(
    [
      "Notifier",
      "When the session's next message comes",
      "Update",
      "When it is over",
      "Thread",
      "Buttons",
      "Condition",
    ],
    notifiers.filter(({ lifecycle }) => lifecycle).map(lifecycleRow),
  );
}

function lifecycleRow({ name, update, lifecycle = {} }: Notifier): string[] {
  const { withdrawn, replaces, inThread, buttons = [], condition = "" } = lifecycle;
  const next = withdrawn === "marked as done" ? "marked as moved" : withdrawn;
  return [
    `[${code(name)}](#${name})`,
    replaces ? "its place is taken" : (next ?? ""),
    update ? "yes" : "",
    withdrawn ?? "",
    inThread ? "one per session" : "",
    buttons.map((button) => englishCatalogue.buttons[button]).join(", "),
    condition,
  ];
}

/** A section per notifier: example and settings. */
export function notifierSections(notifiers: readonly Notifier[]): string {
  return notifiers.map(section).join("\n\n");
}

function row(notifier: Notifier): string[] {
  const { name, summary, audience, at, settings, variants, limits, source, urgency } = notifier;
  const required = Object.entries(settings.shape).filter(([, schema]) => !schema.safeParse(undefined).success);
  const needed = [...required.map(([key]) => code(key)), ...(variants ? [variantsText(variants)] : [])];
  const count = (number: number) => number.toLocaleString("en");
  return [
    `[${code(name)}](#${name})`,
    summary,
    at === "desk" ? `${audience}, at the desk` : audience,
    needed.join(", ") || "nothing",
    `${count(limits.title)} / ${count(limits.body)} ${units[limits.unit]}`,
    urgency ? kinds.map((kind) => String(urgency[kind])).join(", ") : "",
    `[source](${source})`,
  ];
}

function section({ name, summary, settings, variants, example }: Notifier): string {
  const sample = oneLine({ type: name, ...(example as object) });
  const choice = variants && `Set ${variantsText(variants)}.`;
  return [`### ${name}`, summary, `\`\`\`jsonc\n"my-${name}": ${sample}\n\`\`\``, choice, settingsTable(settings)]
    .filter(Boolean)
    .join("\n\n");
}

/** JSON on one line, with spaces where people put them. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}
