import { existsSync } from "node:fs";
import { readSilences, type Silence, silencesFile, writeSilences } from "../attention/silences.ts";
import { loadConfig } from "../config/load.ts";
import { CommandError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Paths } from "../files/paths.ts";
import { wake } from "../spool/wake.ts";
import { isSilenceFor, parseSnooze, type SilenceFor, silenceText } from "./snooze-words.ts";

/** What is snoozed after a change. */
export interface SnoozeChange {
  readonly silences: readonly Silence[];
  /** What has changed, for people. */
  readonly says: readonly string[];
}

/**
 * Snoozes, or ends that, as the words of `beckon snooze` ask for: `1h`, `until 14:00`, `off`; without words nothing
 * changes.
 * @throws {UsageError | CommandError} where the words cannot be read, there is no such notifier, or the file cannot be
 * written
 */
export async function changeSnooze(
  time: string,
  asked: SilenceFor,
  paths: Paths,
  nowMs: number,
): Promise<SnoozeChange> {
  const file = silencesFile(paths);
  const before = readSilences(file, nowMs);
  const change = changeFor(time, asked, before, nowMs);
  if (change === undefined) return { silences: before, says: listed(before, nowMs) };
  await requireNotifier(asked.notifier, paths);
  if (!writeSilences(file, change.silences)) {
    throw new CommandError(`cannot write ${file}`, "`beckon doctor` can tell why.");
  }
  // Another end than before: what waits for the old one is looked at again.
  if (before.length > 0 && existsSync(paths.spool)) await wake(paths);
  return change;
}

/** What the words ask for; undefined where they ask for nothing. @throws {UsageError} */
function changeFor(
  time: string,
  asked: SilenceFor,
  before: readonly Silence[],
  nowMs: number,
): SnoozeChange | undefined {
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
async function requireNotifier(name: string | undefined, paths: Pick<Paths, "config">): Promise<void> {
  if (name === undefined) return;
  const { notifiers, disabled } = await loadConfig(paths.config);
  const names = [...notifiers.keys(), ...disabled];
  if (!names.includes(name)) throw new CommandError(`no notifier ${name}`, `There are: ${names.join(", ")}`);
}
