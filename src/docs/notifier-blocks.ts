import { englishCatalogue } from "../config/catalogues.ts";
import { variantsText } from "../config/variants.ts";
import type { Lifecycle, Notifier } from "../core/notifier.ts";
import { kinds } from "../core/vocabulary.ts";
import { settingLine, settingsIn } from "./settings.ts";

const units = { bytes: "bytes", utf16: "characters", codePoints: "code points", graphemes: "graphemes" } as const;

/** Builds the overview of all notifiers, one row each. */
export function notifierTable(notifiers: readonly Notifier[]): string {
  return table(
    ["Notifier", "What it does", "For", "Needs", "Title / body at most", "Urgency", "From"],
    notifiers.map(row),
  );
}

/** Builds the table of later changes to messages, with a row for each notifier that can change or thread them. */
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

/** Builds a section per notifier: example and settings. */
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

/** Formats JSON on one line, with spaces as people write them. */
function oneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");
}
