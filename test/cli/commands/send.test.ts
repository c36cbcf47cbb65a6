import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type AgentEvent, ownAgent } from "../../../src/core/event.ts";
import { parse } from "../../../src/pipeline/parse.ts";
import { decodeRecord } from "../../../src/spool/record.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();
beforeEach(() => {
  home.write(home.paths.worker, ""); // a worker that takes no event, so that the events can be read
});

/** Events in the spool, as the worker reads them. */
function sent(): AgentEvent[] {
  const folder = join(home.paths.spool, "new");
  return readdirSync(folder).map((file) => {
    const record = decodeRecord(readFileSync(join(folder, file))) ?? expect.fail("a torn record");
    return parse(record, file.replace(".json", ""), 1);
  });
}

test("send stores a message with its title, text, kind, session and project", async () => {
  const args = ["Deploy waits", "Approve build 42?", "--kind", "needs-you", "--session", "deploy", "--project", "web"];
  expect(await home.run(["send", ...args])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  expect(sent()).toMatchObject([
    {
      ...{ agent: ownAgent, event: "Notification", kind: "needs-you", sessionId: "deploy", project: "web" },
      ...{ headline: "Deploy waits", message: "Approve build 42?", cwd: join(home.project, "web") },
    },
  ]);
});

test("send needs only a title: the message counts as finished, in the current folder, in a session of its own", async () => {
  const { stdout } = await home.run(["send", "Backup done", "--json"]);
  const [event] = sent();
  expect(event).toMatchObject({ event: "Stop", kind: "finished", project: "shop", headline: "Backup done" });
  expect(event).not.toHaveProperty("message");
  expect(readOutput("send", stdout)).toEqual([{ id: event?.id, sessionId: event?.id, kind: "finished" }]);
});

const kinds = [
  ["needs-you", "Notification"],
  ["failed", "Stop"],
  ["finished", "Stop"],
  ["info", "Notification"],
] as const;
test.each(kinds)("a message of kind %s is a %s for routes", async (kind, event) => {
  await home.run(["send", "x", "--kind", kind]);
  expect(sent()).toMatchObject([{ kind, event, nativeEvent: kind }]);
});

test("texts of a message are data: control characters are removed, long texts cut, JSON of an error stays", async () => {
  await home.run(["send", "a\u001b[31m\u202eb\nc", `{"error":"x"}${"y".repeat(300_000)}`, "--kind", "failed"]);
  const [{ headline = "", message = "" } = {}] = sent();
  expect(headline).toBe("ab c");
  expect(message).toMatch(/^\{"error":"x"\}y+$/);
  expect(message.length).toBe(64 * 1024);
});

test("--to names the notifiers in place of the routes", async () => {
  home.config({ notifiers: { desk: { type: "desktop" }, chime: { type: "sound" } } });
  expect((await home.run(["send", "x", "--to", "desk", "chime"])).exitCode).toBe(0);
  expect(sent()).toMatchObject([{ to: ["desk", "chime"] }]);
});

const wrong = [
  ["an unknown notifier", ["x", "--to", "fone"], "there is no notifier fone", "Known: desk."],
  ["a notifier with an error", ["x", "--to", "team"], "the notifier team has an error", "See `beckon doctor`."],
  ["an empty title", ["\u001b[0m "], "the title is empty", "Write it first"],
  ["an empty session", ["x", "--session", ""], "the session is empty", "Give it an id"],
  ["an unknown kind", ["x", "--kind", "urgent"], "'urgent' is invalid", "Allowed choices are needs-you, failed"],
  ["no title", [], "missing required argument 'title'", "beckon send --help"],
] as const;
test.each(wrong)("%s is an error with exit code 2, and sends nothing", async (_, args, problem, hint) => {
  home.config({ notifiers: { desk: { type: "desktop" }, team: { type: "slack" } } });
  const { exitCode, stderr } = await home.run(["send", ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).toContain(hint);
  expect(home.spooled()).toEqual([]);
});

test("BECKON_DISABLE=1 sends nothing, and says so", async () => {
  const environment = { ...home.environment, env: { ...home.env, BECKON_DISABLE: "1" } };
  const { exitCode, stderr } = await home.run(["send", "x"], { environment });
  expect([exitCode, home.spooled()]).toEqual([1, []]);
  expect(stderr).toContain("BECKON_DISABLE=1");
});

test("another agent's event cannot choose its notifiers, name a title or a program", () => {
  const payload = Buffer.from(JSON.stringify({ title: "t", program: "p", turn_ms: 5, session_id: "s" }));
  const header = { v: 1, event: "Stop", agent: "claude", to: ["phone"] } as const;
  const event = parse({ header, payload, end: 0 }, "id", 1);
  for (const part of ["to", "headline", "program", "turnMs"]) expect(event).not.toHaveProperty(part);
});
