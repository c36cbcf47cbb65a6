import { existsSync } from "node:fs";
import { readSilences, type Silence, silencesFile, writeSilences } from "../../attention/silences.ts";
import { loadConfig } from "../../config/load.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { wake } from "../../spool/wake.ts";
import { isSilenceFor, parseSnooze, type SilenceFor, silenceJson, silenceText } from "../attention/silences.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CommandError } from "../errors.ts";
import { requireOwnRoot } from "../require-own-root.ts";
import { say } from "../say.ts";

/** `beckon snooze`: messages to the person wait for a while. */
export const registerSnooze: RegisterCommand = (command, run) => {
  command
    .argument("[time...]", "how long (`30m`, `1h`), `until 14:00`, or `off`; without it, what is snoozed")
    .option("--project <name>", "only this project: the name of its folder, or a glob of paths")
    .option("--session <id>", "only this session; the beginning of its id is enough")
    .option("--notifier <name>", "only at this notifier")
    .option("--json", "print one JSON object")
    .action((time: string[], options: SnoozeOptions) => run((context) => runSnooze(time.join(" "), options, context)));
};

interface SnoozeOptions extends SilenceFor {
  readonly json?: boolean;
}

async function runSnooze(time: string, { json, ...options }: SnoozeOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now?.() ?? Date.now();
  const file = silencesFile(paths);
  const before = readSilences(file, nowMs);
  const change = changeFor(time, options, before, nowMs);
  if (change) {
    await requireNotifier(options.notifier, context);
    requireOwnRoot(context);
    if (!writeSilences(file, change.silences)) {
      throw new CommandError(`cannot write ${file}`, "`beckon doctor` can tell why.");
    }
    // Another end than before: what waits for the old one is looked at again.
    if (before.length > 0 && existsSync(paths.spool)) await wake(paths);
  }
  const silences = change?.silences ?? before;
  if (json) print(JSON.stringify({ snoozed: silences.map(silenceJson) }));
  else for (const line of change?.says ?? listed(silences, nowMs)) say(line, context, 2);
  return 0;
}

interface Change {
  readonly silences: readonly Silence[];
  /** What has changed, for people. */
  readonly says: readonly string[];
}

/** What the words ask for; undefined where they ask for nothing. @throws {UsageError} */
function changeFor(time: string, asked: SilenceFor, before: readonly Silence[], nowMs: number): Change | undefined {
  if (time === "") return undefined;
  if (time === "off") {
    const silences = before.filter((one) => !isSilenceFor(one, asked));
    if (silences.length === before.length) return { silences, says: listed(silences, nowMs) };
    return { silences, says: ["The snooze is off: what waited comes now.", ...left(silences, nowMs)] };
  }
  const silence: Silence = { untilMs: parseSnooze(time, nowMs), atMs: nowMs, ...omitUndefined({ ...asked }) };
  const others = before.filter((one) => !isSilenceFor(one, asked) || !isSilenceFor(silence, one));
  const says = [
    `Snoozed ${silenceText(silence, nowMs)}.`,
    "What is for you waits and comes then, as one message; nothing is lost. `beckon snooze off` ends it early.",
  ];
  return { silences: [...others, silence], says: [...says, ...left(others, nowMs)] };
}

function left(silences: readonly Silence[], nowMs: number): string[] {
  return silences.map((one) => `Still snoozed ${silenceText(one, nowMs)}.`);
}

function listed(silences: readonly Silence[], nowMs: number): string[] {
  if (silences.length === 0) return ["Nothing is snoozed. `beckon snooze 1h` gives you an hour's peace."];
  return silences.map((one) => `Snoozed ${silenceText(one, nowMs)}.`);
}

/** @throws {CommandError} where no notifier has this name: the snooze would hold nothing, and nobody would notice */
async function requireNotifier(name: string | undefined, { paths }: CliContext): Promise<void> {
  if (name === undefined) return;
  const { notifiers, disabled } = await loadConfig(paths.config);
  const names = [...notifiers.keys(), ...disabled];
  if (!names.includes(name)) throw new CommandError(`no notifier ${name}`, `There are: ${names.join(", ")}`);
}
