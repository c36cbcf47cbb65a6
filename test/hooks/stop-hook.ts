import { expect } from "vitest";
import { type Home, type HookResult, sleep } from "../helpers/home.ts";

/** The payload of a Stop. */
export const stop = '{"hook_event_name":"Stop","session_id":"s1","cwd":"/home/dev/shop"}';

/** A configuration that sends nothing anywhere: an event that arrives is journalled as skipped. */
export const quiet = { notifiers: {}, delivery: { linger: "1s" } };

/** Fails if an agent would notice anything of a hook. */
export function expectSilence(result: HookResult): void {
  expect(result).toMatchObject({ exitCode: 0, signal: null, stdout: "", stderr: "" });
}

/** Waits until an event is in `new/` of the spool. */
export async function untilStored(home: Home): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!home.spooled().some((file) => file.startsWith("new/"))) {
    if (Date.now() > deadlineMs) throw new Error(`not stored within 20 s; spool: ${home.spooled().join(" ")}`);
    await sleep(25);
  }
}
