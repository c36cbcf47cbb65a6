import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ring, replay } from "./replay.ts";
import { type Expected, expectedRings } from "./rings.ts";

const folder = join(import.meta.dirname, "../fixtures/recordings");
const letters: Readonly<Record<string, "N" | "F" | "D">> = { "needs-you": "N", failed: "F", finished: "D" };

test("every recording has an expectation", () => {
  const recorded = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  expect(recorded.map((name) => name.replace(/\.jsonl$/, "")).sort()).toEqual(Object.keys(expectedRings).sort());
});

const recordedRings: Record<string, readonly Ring[]> = {};

test.each(Object.entries(expectedRings))(
  "%s rings when the agent needs you, has failed or is done, and only then",
  async (recording, expected) => {
    const rings = await replay(recording);
    recordedRings[recording] = rings.map(({ kind, title, body }) => ({ kind, title, body }));
    const wrong = listFaults(rings, expected);
    if (expected.known === undefined) expect(wrong).toEqual([]);
    else expect(wrong, `it rings right: take the mark "${expected.known}" away`).not.toEqual([]);
  },
);

test("titles and texts are those of the last `npx vitest run … -u`", async ({ skip }) => {
  if (Object.keys(recordedRings).length < Object.keys(expectedRings).length) skip("not every recording was replayed");
  const sorted = Object.fromEntries(Object.entries(recordedRings).sort(([a], [b]) => a.localeCompare(b, "en")));
  await expect(`${JSON.stringify(sorted, undefined, 2)}\n`).toMatchFileSnapshot(join(folder, "rings.json"));
});

/** Lists the faults in a session's rings, one a line. */
function listFaults(rings: readonly Ring[], { rings: wanted, says = {} }: Expected): string[] {
  const recordedRings = rings.map(({ kind }) => letters[kind] ?? kind).join("");
  const all = rings.map(({ kind, title, body }) => `\n  ${kind}: ${title} | ${body}`).join("");
  const faults = wanted.includes(recordedRings)
    ? []
    : [`rang "${recordedRings}", not "${wanted.join('" or "')}":${all}`];
  for (const { kind, title, body } of rings) {
    const words = says[letters[kind] ?? "D"];
    if (words && !words.test(body)) faults.push(`${kind} does not say ${words}: ${title} | ${body}`);
  }
  return faults;
}

test.each<[string, string, Parameters<typeof replay>[1]]>([
  ["a worker that scans before Copilot decides a permission on its own", "copilot/headless-permission", { wakeMs: 5 }],
  ["Grok's question in the transcript 1.5 s late", "grok/question", { lateMs: 1_500 }],
  ["Qwen's command in the transcript 1.5 s late", "qwen/background-shell", { lateMs: 1_500 }],
  ["Qwen's command in the transcript 4 s late", "qwen/background-shell", { lateMs: 4_000 }],
])("rings stay correct with %s", async (_, recording, difference) => {
  expect(listFaults(await replay(recording, difference), expectedRings[recording] ?? { rings: [] })).toEqual([]);
});

/** Lines that a person writes who counts the calls of each finished turn. */
const done: Readonly<Record<string, readonly string[]>> = {
  "claude/x-bgshell": ["ran 1 command"],
  "claude/x-question": [""],
  "codex/i-shell-yes": ["ran 1 command"],
  "copilot/i-task": [""],
  "copilot/x-bgshell": ["ran 1 command"],
  "droid/i-bg": [""],
  "droid/x-bgshell": ["ran 1 command"],
  "gemini/x-question": [""],
  "grok/i-shell-yes": ["ran 1 command"],
  "grok/sub-agent-permission": ["ran 1 command"],
  "kimi/i-shell-yes": ["ran 1 command"],
  "kimi/sub-agent": [""],
  "qwen/i-taskshell": [""],
  "qwen/x-bgshell": ["ran 1 command"],
};
test.each(Object.entries(done))("%s says what its turns did, if the template asks for it", async (recording, lines) => {
  const rings = await replay(recording, { templates: { Stop: { body: "{did}" } } });
  expect(rings.filter(({ kind }) => kind === "finished").map(({ body }) => body)).toEqual(lines);
});

/** Returns the title and first body line of each ring of a session. */
async function firstWords(recording: string, host?: string): Promise<string[]> {
  const rings = await replay(recording, host === undefined ? {} : { host });
  return rings.map(({ title, body }) => `${title} | ${body.split("\n")[0]}`);
}

test("two agents in one folder have different titles", async () => {
  expect(await firstWords("claude/z-tr")).toEqual(["shop · Claude Code needs you | RIG-SHELL go"]);
  expect(await firstWords("kimi/i-shell-no")).toEqual(["shop · Kimi Code needs you | RIG-SHELL go"]);
});

test.each([
  ["claude/x-bgshell", "claude/x-question"],
  ["codex/i-shell-yes", "codex/p-400"],
  ["copilot/i-ask", "copilot/x-bgshell"],
  ["droid/i-bg", "droid/x-empty"],
  ["gemini/p-400", "gemini/x-question"],
  ["grok/i-task", "grok/x-bgshell"],
  ["kimi/i-shell-no", "kimi/x-bgshell"],
  ["qwen/i-clear", "qwen/x-bgshell"],
])("two sessions of one agent in one folder have different titles: %s, %s", async (one, other) => {
  const [these, those] = [await firstWords(one), await firstWords(other)];
  expect(these).not.toEqual([]);
  expect(those).not.toEqual([]);
  expect(these.filter((words) => those.includes(words))).toEqual([]);
});

test("the title for a remote agent has the machine's name", async () => {
  expect(await firstWords("claude/z-tr", "devbox")).toEqual(["shop@devbox · Claude Code needs you | RIG-SHELL go"]);
});
