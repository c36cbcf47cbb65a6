import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import type { AnswerOffer, Labels } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type DesktopProgram, desktopPrograms } from "../core/ports.ts";
import type { Kind } from "../core/vocabulary.ts";
import { findUp } from "../files/paths.ts";
import { forKinds, ownProgram } from "./shared/settings.ts";

const levels = ["low", "normal", "critical"] as const;

/**
 * Default urgencies. Only `needs-you` is critical, because many desktops show critical notifications until they are
 * closed.
 */
const defaults: Readonly<Record<Kind, (typeof levels)[number]>> = {
  "needs-you": "critical",
  failed: "normal",
  finished: "normal",
  info: "low",
};

const level = (kind: Kind) =>
  z.enum(levels).optional().describe(`Urgency of \`${kind}\` notifications; default \`${defaults[kind]}\`.`);

const shownSchema = z.object({ id: z.int(), owner: z.string(), bus: z.string().optional() }).transform(omitUndefined);

/** Notifier for the local desktop. */
export const desktop = defineNotifier({
  name: "desktop",
  summary: "Shows a desktop notification on this machine, with an icon for each kind of event.",
  source: "https://specifications.freedesktop.org/notification-spec/latest/",
  audience: "person",
  at: "desk",
  settings: z.strictObject({
    urgency: z
      .strictObject(forKinds(level))
      .optional()
      .describe(
        "`low`, `normal` or `critical`, by kind. Many desktops show critical notifications until you close them.",
      ),
    driver: z
      .enum(["auto", ...desktopPrograms.darwin, ...desktopPrograms.win32])
      .default("auto")
      .describe(
        "Program to try first: `terminal-notifier`, `osascript` or `bundled` on macOS, `toast` or `balloon` on Windows and WSL. `beckon test` asks which one you see.",
      ),
    program: ownProgram(
      "Absolute path of your own program, which gets the arguments of `notify-send`. Other users of the machine can read these arguments.",
    ),
  }),
  example: { urgency: { failed: "critical" } },
  budgetMs: 8000,
  lifecycle: {
    withdrawn: "removed",
    buttons: ["seen", "focus"],
    answers: {
      obstacle: async ({ settings, ports, signal }) =>
        settings.program === undefined ? ports.desktop.answerObstacle(signal) : "`program` gets no buttons",
    },
    condition:
      "not with `notify-send`, `osascript`, `balloon` or `program`; buttons only on Linux and BSD, for 15 minutes",
    replaces: true,
  },
  urgency: defaults,
  limits: { unit: "graphemes", title: 100, body: 300 },
  reach: "machine",
  verification: {
    check: async ({ settings, ports, signal }) =>
      ports.desktop.obstacle(settings.program) ??
      (settings.program === undefined ? ports.desktop.problem({ ...selectDriver(settings), signal }) : undefined),
    visibility: {
      setting: "driver",
      programs: ({ settings, ports }) =>
        settings.program === undefined ? ports.desktop.unproven(selectDriver(settings).driver) : [],
    },
  },
  async send({ settings, message, thread, terminal, mask, labels, onReaction, offer, ports, signal }) {
    const { title, body, kind } = message;
    const urgency = settings.urgency?.[kind] ?? defaults[kind];
    const look = { urgency, category: `x-beckon.${kind}`, ...omitUndefined({ icon: findIcon(kind) }) };
    const replaces = shownSchema.safeParse(thread?.previous).data;
    const buttons = onReaction && { labels, onReaction, ...answerButtons(offer, labels) };
    const terminalProgram = terminal?.TERM_PROGRAM;
    const place = { program: settings.program, ...omitUndefined({ replaces, buttons, terminalProgram }) };
    return ports.desktop.notify({ title, body, ...look, ...place, ...selectDriver(settings), mask, signal });
  },
  // There is no `update`. Desktops cannot report whether a notification is still shown, so an update could show a
  // closed notification again.
  async withdraw({ receipt, ports, signal }) {
    const shown = shownSchema.safeParse(receipt).data;
    if (shown) await ports.desktop.close({ shown, signal });
  },
});

/**
 * Maximum size of a request that every desktop shows whole, in lines and columns. A larger text pushes the buttons off
 * the screen.
 */
const wholeText = { lines: 8, columns: 80 } as const;

/** Makes answer buttons if a notification can show the whole request; undefined otherwise. */
function answerButtons(offer: AnswerOffer | undefined, labels: Labels) {
  if (!offer || offer.needsSeveral) return undefined; // most notifications close when a button is pressed
  const lines = [...offer.lines, ...offer.remarks];
  if (lines.length > wholeText.lines) return undefined;
  const columns = (character: string): number => (character === "\t" ? 8 : character < "\x7f" ? 1 : 2);
  const isWide = (line: string) => [...line].reduce((sum, each) => sum + columns(each), 0) > wholeText.columns;
  if (lines.some(isWide)) return undefined;
  const answers = offer.choices.map(({ choice, pick, token }) => {
    return { token, label: pick === undefined ? (labels[choice] ?? choice) : String(pick) }; // long labels would be cut off
  });
  return { answers, body: lines.join("\n"), onAnswer: offer.press };
}

function selectDriver({ driver }: { readonly driver: DesktopProgram | "auto" }): { readonly driver?: DesktopProgram } {
  return driver === "auto" ? {} : { driver };
}

/**
 * Finds the icon file of a kind, for light and dark desktops. Undefined if beckon's icons are not installed. Linux's
 * programs show an icon in its own size, other systems in theirs.
 */
function findIcon(kind: Kind): string | undefined {
  const size = process.platform === "linux" ? "-48" : "";
  return findUp(import.meta.url, `templates/icons/${kind}${size}.png`);
}
