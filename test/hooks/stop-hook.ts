import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { isEnded } from "../../src/spool/sweep.ts";
import { type Home, type HookResult, type RunOptions, sleep } from "../world/home.ts";

/** Payload of a Stop. */
export const stop = '{"hook_event_name":"Stop","session_id":"s1","cwd":"/home/dev/shop"}';

/** A configuration that sends nothing: an event that arrives is journalled as skipped. */
export const quiet = { notifiers: {}, delivery: { linger: "1s" } };

/** Fails if an agent would notice a hook. */
export function expectSilence(result: HookResult): void {
  expect(result).toMatchObject({ exitCode: 0, signal: null, stdout: "", stderr: "" });
}

/** Waits until an event is stored. @returns the path of its record */
export async function untilStored(home: Home): Promise<string> {
  for (const deadlineMs = Date.now() + 20_000; ; await sleep(25)) {
    const path = home
      .spooled()
      .map((file) => join(home.paths.spool, file))
      .find(isEnded);
    if (path !== undefined) return path;
    if (Date.now() > deadlineMs) throw new Error(`not stored within 20 s; spool: ${home.spooled().join(" ")}`);
  }
}

/** Waits until an event has passed through `quiet`. */
export function untilSkipped(home: Home): Promise<JournalLine[]> {
  return home.until((journal) => journal.some(({ status }) => status === "skipped"));
}

/** The ways in which an agent may call a Stop hook. */
export const ways = ["launcher", "entrypoint"] as const;

export function callStop(
  home: Home,
  way: (typeof ways)[number],
  args: readonly string[],
  { input = stop, ...options }: RunOptions & { readonly input?: string | Buffer } = {},
): Promise<HookResult> {
  return way === "launcher" ? home.launch(["Stop", ...args], input, options) : home.enter("stop", args, input, options);
}

/** The shells of this machine that may be `sh`. */
export const shells = ["dash", "bash", "busybox sh", "ksh", "zsh --emulate sh"].filter((shell) =>
  ["/usr/bin", "/bin"].some((folder) => existsSync(join(folder, shell.split(" ")[0] ?? ""))),
);
