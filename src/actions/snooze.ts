import { existsSync } from "node:fs";
import { readSilences, type Silence, silencesFile } from "../attention/silences.ts";
import { loadConfig } from "../config/load.ts";
import { CommandError, UsageError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { writeStateFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { wake } from "../spool/wake.ts";
import { explainPlainPart, plainPartHint } from "../text/glob.ts";
import { clockTime, dayMs, parseDuration, shortDuration } from "../text/time.ts";

/**
 * Applies the argument of `beckon snooze`: `1h`, `until 14:00` or `off`. An empty text changes nothing. Returns the
 * silences that are now active, and describes the change for people, one sentence each.
 * @throws {UsageError | CommandError} if the text cannot be parsed, the notifier does not exist, or the file cannot be
 * written
 */
export async function changeSnooze(time: string, asked: SilenceScope, paths: Paths, nowMs: number) {
  const file = silencesFile(paths);
  const before = readSilences(file, nowMs);
  const change = parseChange(time, asked, before, nowMs);
  if (change === undefined) return { silences: before, messages: listSnoozed(before, nowMs) };
  await requireNotifier(asked.notifier, paths);
  if (!writeStateFile(file, change.silences)) {
    throw new CommandError(`cannot write ${file}`, "For the reason: beckon doctor");
  }
  // The end of a silence may have changed, so the worker must check the messages that wait for the old end.
  if (before.length > 0 && existsSync(paths.spool)) await wake(paths);
  return change;
}

/** Builds the change that the text asks for; undefined for an empty text. @throws {UsageError} */
function parseChange(time: string, asked: SilenceScope, before: readonly Silence[], nowMs: number) {
  if (time === "") return undefined;
  if (time === "off") {
    const silences = before.filter((known) => !hasScope(known, asked));
    if (silences.length === before.length) return { silences, messages: listSnoozed(silences, nowMs) };
    return {
      silences,
      messages: ["Resumed. What you have not seen arrives now.", ...listStillSnoozed(silences, nowMs)],
    };
  }
  const silence: Silence = { untilMs: parseSnooze(time, nowMs), atMs: nowMs, ...omitUndefined({ ...asked }) };
  const others = before.filter((known) => !hasScope(known, asked) || !hasScope(silence, known));
  const plainPart = explainPlainPart(asked.project ?? "");
  const messages = [
    `Snoozed ${silenceText(silence, nowMs)}.`,
    "What you do not see meanwhile arrives as one message when the snooze ends. To resume now: beckon snooze off",
    ...(plainPart === undefined ? [] : [`In --project, ${plainPart}. ${plainPartHint}`]),
  ];
  return { silences: [...others, silence], messages: [...messages, ...listStillSnoozed(others, nowMs)] };
}

function listStillSnoozed(silences: readonly Silence[], nowMs: number): string[] {
  return silences.map((silence) => `Still snoozed ${silenceText(silence, nowMs)}.`);
}

function listSnoozed(silences: readonly Silence[], nowMs: number): string[] {
  if (silences.length === 0) return ["Nothing is snoozed. To pause notifications for an hour: beckon snooze 1h"];
  return silences.map((other) => `Snoozed ${silenceText(other, nowMs)}.`);
}

/** Checks that a notifier has the name, so that a typo is noticed. @throws {CommandError} if none has */
async function requireNotifier(name: string | undefined, paths: Pick<Paths, "config">): Promise<void> {
  if (name === undefined) return;
  const { notifiers, disabled } = await loadConfig(paths.config);
  const names = [...notifiers.keys(), ...disabled];
  if (!names.includes(name))
    throw new CommandError(`there is no notifier ${name}`, `Known notifiers: ${names.join(", ")}`);
}

/** Fields that limit what a silence applies to. An absent field matches everything. */
export type SilenceScope = Pick<Silence, "project" | "session" | "notifier">;

/**
 * Parses the end of a snooze to Unix milliseconds: after a duration (`1h`), or at the next time of day on this
 * machine's clock (`until 14:00`).
 * @throws {UsageError} for any other text, and for more than a day
 */
function parseSnooze(text: string, nowMs: number): number {
  const durationMs = parseDuration(text, ["s", "m", "h"]);
  if (durationMs > 0 && durationMs <= dayMs) return nowMs + durationMs;
  const untilMs = text.startsWith("until ") ? nextTimeOfDay(text.slice(6), nowMs) : undefined;
  if (untilMs !== undefined) return untilMs;
  throw new UsageError(
    `${JSON.stringify(text)} is not a time`,
    "Use a duration from 1s to 24h such as `30m` or `1h`, a time such as `until 14:00`, or `off`.",
  );
}

/** Returns when the clock next shows a time such as `14:00`, Unix milliseconds; undefined for any other text. */
export function nextTimeOfDay(text: string, nowMs: number): number | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined) return undefined;
  const time = new Date(nowMs);
  time.setHours(Number(hour), Number(minute), 0, 0);
  if (time.getTime() <= nowMs) {
    time.setDate(time.getDate() + 1);
    time.setHours(Number(hour), Number(minute), 0, 0);
  }
  return time.getTime();
}

/** True if a silence has all the requested fields. */
function hasScope(silence: Silence, { project, session, notifier }: SilenceScope): boolean {
  const asked = Object.entries(omitUndefined({ project, session, notifier }));
  return asked.every(([key, value]) => silence[key as keyof SilenceScope] === value);
}

/** Describes a silence: `until 14:00 (59 min), project shop, notifier phone`. */
export function silenceText({ untilMs, project, session, notifier }: Omit<Silence, "atMs">, nowMs: number): string {
  const named = Object.entries(omitUndefined({ project, session, notifier })).map(
    ([key, value]) => `, ${key} ${value}`,
  );
  return `until ${clockTime(untilMs, nowMs)} (${shortDuration(untilMs - nowMs)})${named.join("")}`;
}

/** Builds the fields of a silence for `--json`. */
export function silenceJson({ untilMs, project, session, notifier }: Silence) {
  return { untilAt: new Date(untilMs).toISOString(), ...omitUndefined({ project, session, notifier }) };
}
