import { appendFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");
const payload = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(fixtures, "payloads", "claude", `${name}.json`), "utf8"));

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "20s" } });
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

/** Fires a hook and waits for what comes of it. */
async function fire(payload: Record<string, unknown>): Promise<string | undefined> {
  const known = home.journal().length;
  const hook = await home.launch([String(payload["hook_event_name"]), "--agent", "claude"], JSON.stringify(payload));
  expect(hook).toMatchObject({ exitCode: 0, stderr: "" });
  const isSettled = ({ status }: { status: string }) => status === "sent" || status === "skipped";
  const journal = await home.until((lines) => lines.slice(known).some(isSettled));
  return journal.slice(known).find(isSettled)?.status;
}

test("a second permission for another command is told at once", async () => {
  const first = payload("PermissionRequest-shell");
  const second = { ...first, tool_input: { command: "rm -r build", description: "Remove the build" } };
  expect([await fire(first), await fire(second)]).toEqual(["sent", "sent"]);
});

test("a turn that fails right after one that was done is told", async () => {
  const { session_id, prompt_id } = payload("Stop");
  const failure = { ...payload("StopFailure-overloaded"), session_id, prompt_id };
  expect([await fire(payload("Stop")), await fire(failure)]).toEqual(["sent", "sent"]);
  const kinds = receiver.accepted.map(({ body }) => JSON.parse(body).data.kind);
  expect(kinds).toEqual(["finished", "failed"]);
});

test("two of Claude's permissions that read alike are two where the transcript has another call waiting", async () => {
  const transcript = join(home.paths.root, ".claude", "session.jsonl");
  cpSync(join(fixtures, "transcripts", "claude-two-permissions.jsonl"), transcript);
  const ask = { ...payload("Notification-permission"), transcript_path: transcript };
  const first = await fire(ask);
  const result = { type: "tool_result", tool_use_id: "toolu_mwr73vzab", content: "", is_error: false };
  appendFileSync(transcript, `${JSON.stringify({ type: "user", message: { role: "user", content: [result] } })}\n`);
  expect([first, await fire(ask)]).toEqual(["sent", "sent"]);
});
