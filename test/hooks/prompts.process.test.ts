import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, repository } from "../world/home.ts";

const folder = join(repository, "test", "fixtures", "payloads");

const marker = "zebra-crossing";

/** Typed texts, some of which agents use as the session title. */
const typed = ["prompt", "submitted_prompt", "session_title"];

function marked(value: unknown): unknown {
  if (typeof value === "string") return `${value} ${marker}`;
  return Array.isArray(value) ? value.map((part) => ({ ...part, text: `${part.text} ${marker}` })) : value;
}

/** Payloads of all captured prompts, grouped by agent and version folder. Their typed texts end with the marker. */
const samples = readdirSync(folder).flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((file) => /^(UserPromptSubmit|BeforeAgent)\b/.test(file))
    .map((file) => {
      const payload = JSON.parse(readFileSync(join(folder, version, file), "utf8")) as Record<string, unknown>;
      for (const name of typed) if (name in payload) payload[name] = marked(payload[name]);
      return { agent: version.replace(/-[\d.]+$/, ""), nativeEvent: file.split(/[-.]/)[0] ?? "", payload };
    }),
);

let home: Home;
beforeEach(() => {
  home = freshHome({});
  // A route for everything, and a word of the prompt in each file that could hold one.
  home.writeConfig({
    notifiers: { calls: { type: "file", path: join(home.paths.root, "calls.jsonl") } },
    routes: [{ kinds: ["info", "needs-you"], to: ["calls"] }],
    attention: { wait: "0s" },
    delivery: { linger: "1s" },
  });
});

/** Finds the files below beckon's folder that contain a text, except the program's. */
function filesWith(text: string, at = home.paths.root): string[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name);
    if (path === home.paths.app) return [];
    if (entry.isDirectory()) return filesWith(text, path);
    return entry.isFile() && readFileSync(path, "utf8").includes(text) ? [path] : [];
  });
}

test("a prompt gets one journal line, no notification, and no file keeps a word of it", async () => {
  const fired = samples.map(({ agent, nativeEvent, payload }) =>
    home.launch([nativeEvent, "--agent", agent], JSON.stringify(payload)),
  );
  for (const result of await Promise.all(fired)) expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(samples.length).toBeGreaterThan(15);
  const journal = await home.until((lines) => lines.length >= samples.length && home.spooled().length === 0);
  expect(journal.map(({ event, status }) => [event, status])).toEqual(samples.map(() => ["Prompt", "accepted"]));
  const calls = await settledCalls();
  expect(calls).toEqual(["a message that waits for you"]);
  expect(filesWith(marker)).toEqual([]);
  expect(filesWith("RIG-")).toEqual([]);
}, 90_000);

/** Returns the texts of all calls, once the worker has handled a last event and written its state. */
async function settledCalls(): Promise<string[]> {
  const common = { hook_event_name: "Notification", session_id: "s", cwd: "/x/shop" };
  const last = { ...common, message: "a message that waits for you" };
  await home.launch(["Notification", "--agent", "claude"], JSON.stringify(last));
  await home.until((lines) => lines.some(({ status }) => status === "sent") && home.workerPid() === undefined, 30_000);
  expect(readFileSync(join(home.paths.root, "state", "recent.json"), "utf8")).toContain('"Prompt"');
  const lines = readFileSync(join(home.paths.root, "calls.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { data: { message: string } }).data.message);
}
