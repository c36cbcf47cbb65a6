import { appendFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");
const error = JSON.parse(readFileSync(join(fixtures, "payloads/copilot/ErrorOccurred-server-error.json"), "utf8"));

let home: Home;
let receiver: Receiver;
let transcript: string;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "1s" } });
  transcript = join(home.paths.root, ".copilot", "session-state", error.session_id ?? error.sessionId, "events.jsonl");
  mkdirSync(dirname(transcript), { recursive: true });
  cpSync(join(fixtures, "transcripts", "copilot-headless.jsonl"), transcript);
  write({ type: "user.message", data: { content: "go" } });
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

function write(line: object): void {
  appendFileSync(transcript, `${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
}

const bodies = () => receiver.accepted.map(({ body }) => JSON.parse(body).data);
const isOver = ({ status }: { readonly status: string }) => status === "sent" || status === "skipped";

test("an event that is put off survives its worker, and is told once it is known what came of it", async () => {
  await home.launch(["ErrorOccurred", "--agent", "copilot"], JSON.stringify(error));
  await home.until((journal) => journal.some(({ status }) => status === "accepted"));
  await home.killWorker();
  expect(receiver.received).toEqual([]);
  expect(home.spooled().filter((file) => file.endsWith(".json"))).toHaveLength(1);
  write({ type: "session.error", data: { message: "500 the model is broken" } });
  // Of another session: it starts a worker.
  await home.launch(["SessionEnd", "--agent", "copilot"], JSON.stringify({ sessionId: "other" }));
  const journal = await home.until((lines) => lines.some(({ status }) => status === "sent"));
  expect(bodies()).toMatchObject([{ kind: "failed", event: "Stop" }]);
  expect(
    journal.filter(({ agent, event, status }) => agent === "copilot" && event === "Stop" && status === "accepted"),
  ).toHaveLength(1);
});

test("an event that is put off is not told if the session goes on", async () => {
  await home.launch(["ErrorOccurred", "--agent", "copilot"], JSON.stringify(error));
  await home.until((journal) => journal.some(({ status }) => status === "accepted"));
  write({ type: "assistant.message", data: { messageId: "m", content: "Recovered and done." } });
  const stop = { hook_event_name: "Stop", session_id: error.session_id, transcript_path: transcript, cwd: "/" };
  await home.launch(["Stop", "--agent", "copilot"], JSON.stringify(stop));
  const journal = await home.until((lines) => lines.filter(isOver).length === 2);
  expect(
    journal
      .filter(isOver)
      .map(({ status, reason = "" }) => `${status} ${reason}`.trim())
      .sort(),
  ).toEqual(["sent", "skipped the agent tried again, and went on"]);
  expect(bodies()).toMatchObject([{ kind: "finished", body: expect.stringContaining("Recovered and done.") }]);
});
