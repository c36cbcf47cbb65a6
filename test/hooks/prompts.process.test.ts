import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, repository } from "../world/home.ts";

const folder = join(repository, "test", "fixtures", "payloads");

interface Sample {
  readonly agent: string;
  readonly nativeEvent: string;
  /** With the marker at the end of all that was typed. */
  readonly payload: Record<string, unknown>;
}

const marker = "zebra-crossing";

/** What people type; some agents make the session's title of it. */
const typed = ["prompt", "submitted_prompt", "session_title"];

function marked(value: unknown): unknown {
  if (typeof value === "string") return `${value} ${marker}`;
  return Array.isArray(value) ? value.map((part) => ({ ...part, text: `${part.text} ${marker}` })) : value;
}

/** The payload of every prompt that was captured, an agent's and version's folder at a time. */
const samples = readdirSync(folder).flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((file) => /^(UserPromptSubmit|BeforeAgent)\b/.test(file))
    .map((file): Sample => {
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

/** The files below beckon's folder that hold a text, but for the program's own. */
function filesWith(text: string, at = home.paths.root): string[] {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name);
    if (path === home.paths.app) return [];
    if (entry.isDirectory()) return filesWith(text, path);
    return entry.isFile() && readFileSync(path, "utf8").includes(text) ? [path] : [];
  });
}

test("of a prompt the journal has one line, nobody is told, and no file keeps a word of it", async () => {
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

/** The texts of all calls, once the worker has gone through a last event and has written its state. */
async function settledCalls(): Promise<string[]> {
  const common = { hook_event_name: "Notification", session_id: "s", cwd: "/x/shop" };
  const last = { ...common, message: "a message that waits for you" };
  await home.launch(["Notification", "--agent", "claude"], JSON.stringify(last));
  await home.until((lines) => lines.some(({ status }) => status === "sent") && home.workerPid() === undefined, 30_000);
  expect(readFileSync(join(home.paths.root, "state", "recent.json"), "utf8")).toContain('"Prompt"');
  const lines = readFileSync(join(home.paths.root, "calls.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { data: { message: string } }).data.message);
}
