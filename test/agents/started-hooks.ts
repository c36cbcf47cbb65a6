import childProcess from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { type InstallableAgent, installable } from "../../src/installer/agents/installable.ts";
import { replayText } from "../worker/replay.ts";

export const startMs = Date.parse("2026-11-25T03:00:00Z");

/** Hook that an agent's module has started. */
interface StartedHook {
  readonly event: string;
  readonly input: Record<string, unknown>;
  /** Time since `startMs`. */
  readonly atMs: number;
}

/** Hooks that modules have started in this test, on a clock that starts at `startMs` and that only the test moves. */
export const started: StartedHook[] = [];
beforeEach(() => {
  started.length = 0;
  vi.useFakeTimers({ now: startMs, toFake: ["Date"] });
  const spawn = (event: string) => {
    const end = (text: string) => started.push({ event, input: JSON.parse(text), atMs: Date.now() - startMs });
    return { on: () => {}, unref: () => {}, stdin: { on: () => {}, end } };
  };
  vi.spyOn(childProcess, "spawn").mockImplementation(spawn as never);
  syncBuiltinESMExports();
});
afterEach(restore);

function restore(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

const letters: Readonly<Record<string, string>> = { "needs-you": "N", failed: "F", finished: "D" };

/** Returns the kinds of rings as letters: needs you, failed, done. */
export const listKinds = (rings: readonly { readonly kind: string }[]): string =>
  rings.map(({ kind }) => letters[kind] ?? kind).join("");

/** Makes the next process fail to start. */
export function failToStart(): void {
  vi.spyOn(childProcess, "spawn").mockImplementation(() => {
    throw new Error("EMFILE");
  });
  syncBuiltinESMExports();
}

/**
 * Loads the module that the installer would write, except that each command line is its event's name. Returns the
 * module's default export.
 */
export async function loadModule(agent: InstallableAgent, events = Object.keys(agent.settings.defaultEvents)) {
  const file = join(mkdtempSync(join(tmpdir(), "beckon-module-")), "beckon.mjs");
  writeFileSync(file, agent.settings.ownText?.(Object.fromEntries(events.map((event) => [event, event]))) ?? "");
  return (await import(file)).default;
}

/** Finds an agent that beckon can be installed into, by its name. */
export function findAgent(name: string): InstallableAgent {
  const found = installable.find((agent) => agent.name === name);
  if (!found) throw new Error(`${name} is not in the registry.`);
  return found;
}

/** Gives the started hooks to beckon. Returns what it showed to the user, and its journal. */
export async function ringStarted(agent: InstallableAgent) {
  const head = { agent: agent.name, startedAt: new Date(startMs).toISOString() };
  const happenings = started.map(({ event, input, atMs }) => ({ atMs, hook: event, payload: input }));
  restore();
  return replayText([head, ...happenings].map((line) => JSON.stringify(line)).join("\n"));
}
