import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type HookResult, sleep } from "../../world/home.ts";
import type { Machine } from "./machine.ts";

/** A property that holds on every platform, or on those that `isFor` accepts. */
export interface Check {
  /** Name of the check: a fact in the present tense. */
  readonly name: string;
  /** Tells if the check applies to a machine; default: to every machine. */
  readonly isFor?: (machine: Machine) => boolean;
  /** @returns details to print next to the name. Throws if the check fails. */
  run(machine: Machine): Promise<string | undefined> | Promise<void>;
}

/** Outcome of a check. */
export interface CheckResult {
  readonly name: string;
  readonly ms: number;
  /** Details to print next to the name. */
  readonly note?: string;
  /** Reason for a failure; absent on success. */
  readonly failure?: string;
  /** Calls of the system's programs, if the check records them. */
  readonly calls?: readonly Call[];
}

/** A recorded call of a program. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables that beckon sets for the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input; may be empty. */
  readonly input: string;
}

/** True for a root, as opposed to Windows. */
export const isRoot = ({ root }: Machine): boolean => root !== undefined;

/** Fails if an agent would notice a hook. */
export function assertSilent({ exitCode, signal, stdout, stderr }: HookResult): void {
  assert.deepEqual({ exitCode, signal, stdout, stderr }, { exitCode: 0, signal: null, stdout: "", stderr: "" });
}

/** Makes the payload of a Stop. */
export function makeStop(session: string): string {
  return JSON.stringify({ session_id: session, hook_event_name: "Stop", last_assistant_message: "Fertig: größer ✓" });
}

const sentFile = ({ userHome }: Machine): string => join(userHome, "told.jsonl");

/** Makes a configuration that writes every event into a file for `untilSent`. */
export function telling(machine: Machine, change: object = {}, setting: object = {}): object {
  rmSync(sentFile(machine), { force: true });
  const notifiers = { log: { type: "file", path: sentFile(machine), ...setting } };
  return { notifiers, routes: [{ to: ["log"] }], lookups: [], delivery: { linger: "1s" }, ...change };
}

/** Sessions of the delivered events, in order. */
export function listSentSessions(machine: Machine): string[] {
  if (!existsSync(sentFile(machine))) return [];
  const whole = /^.*\n/gm; // the last line may be incomplete
  const lines = readFileSync(sentFile(machine), "utf8").match(whole) ?? [];
  return lines.map((line) => JSON.parse(line).data.sessionId);
}

/** Waits until an event of each of these sessions was delivered and the spool is empty. */
export async function untilSent(machine: Machine, sessions: readonly string[], timeoutMs = 20_000): Promise<void> {
  await until(() => {
    const sent = listSentSessions(machine);
    const missing = sessions.filter((session) => !sent.includes(session));
    const spooled = machine.home.spooled();
    return missing.length === 0 && spooled.length === 0
      ? undefined
      : `not told: ${missing.length} of ${sessions.length}; spool: ${spooled.join(" ") || "empty"}`;
  }, timeoutMs);
}

/** Waits until no obstacle remains; fails with the last one. */
export async function until(obstacle: () => string | undefined, timeoutMs = 15_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let last = obstacle(); last !== undefined; last = obstacle()) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${last}`);
    await sleep(20);
  }
}
