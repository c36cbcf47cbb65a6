import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { builtCli } from "../../world/cli-home.ts";
import { run } from "../../world/home.ts";
import { useHome } from "../../world/use-home.ts";

const home = useHome();
let messages: string;
beforeEach(() => {
  messages = join(home.paths.root, "messages.jsonl");
  home.writeConfig({ notifiers: { log: { type: "file", path: messages, for: "machine" } }, lookups: [] });
});

const beckon = (args: readonly string[], input = "") =>
  run(process.execPath, [builtCli, ...args], input, { env: home.env, cwd: home.paths.root });
const countSent = (journal: readonly { status: string }[]) => journal.filter(({ status }) => status === "sent").length;

test("a message goes through the routes and is journalled, with its text from standard input", async () => {
  expect(
    await beckon(["send", "Build broken", "-", "--kind", "failed", "--project", "web"], "line 1\nline 2\n"),
  ).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  const [accepted] = await home.until((journal) => countSent(journal) === 1);
  expect(accepted).toMatchObject({ status: "accepted", kind: "failed", project: "web", summary: "Build broken" });
  expect(readFileSync(messages, "utf8")).toMatch(/"web(@[^ ]+)? · Build broken"/);
  expect(readFileSync(messages, "utf8")).toContain("line 1");
});

test("a finished message resolves the earlier request of its session, and of no other", async () => {
  await beckon(["send", "Approve?", "--kind", "needs-you", "--session", "one"]);
  await beckon(["send", "And this?", "--kind", "needs-you", "--session", "two"]);
  await home.until((journal) => countSent(journal) === 2);
  const listed = (await beckon(["sessions", "--json"])).stdout.trim().split("\n");
  expect(listed.map((line) => JSON.parse(line))).toMatchObject([
    { state: "waiting", sessionId: "one", request: "Approve?" },
    { state: "waiting", sessionId: "two", request: "And this?" },
  ]);
  await beckon(["send", "Approved", "--session", "one"]);
  const journal = await home.until((lines) => lines.some(({ status }) => status === "resolved"));
  expect(journal.filter(({ status }) => status === "resolved")).toMatchObject([
    { sessionId: "one", resolvedBy: "stop" },
  ]);
});

test("a request stays open when the script that sent it has ended, and a finished message waits for nobody", async () => {
  const script = '"$0" "$1" send "Disk is nearly full" --kind needs-you; "$0" "$1" send "Backup done"';
  const shell = spawn("sh", ["-c", script, process.execPath, builtCli], { env: home.env, stdio: "ignore" });
  await new Promise((resolve) => shell.on("close", resolve));
  await home.until((journal) => countSent(journal) === 2);
  const lines = (await beckon(["sessions", "--json"])).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ state: "waiting", request: "Disk is nearly full" }]);
});

test("the launcher takes the same message from a pipe", async () => {
  await home.launch(["failed", "--agent", "cli"], JSON.stringify({ title: "Piped", message: "text" }));
  const [accepted] = await home.until((journal) => countSent(journal) === 1);
  expect(accepted).toMatchObject({ agent: "cli", kind: "failed", summary: "Piped" });
});
