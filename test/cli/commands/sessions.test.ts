import { expect, test } from "vitest";
import type { Alert, Concern } from "../../../src/attention/alert.ts";
import { countCells } from "../../../src/cli/columns.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

const nowMs = Date.now();
const ago = (seconds: number): number => nowMs - seconds * 1_000;
const sessions = async (...words: string[]) => (await home.run(["sessions", ...words], { now: () => nowMs })).stdout;
const jsonLines = async () => readOutput("sessions", await sessions("--json"));

test("requests come before failures and finished turns, the longest wait first", async () => {
  const of = (sessionId: string, ...concerns: ReturnType<typeof concern>[]) => makeAlert({ sessionId, concerns });
  writeAlerts(
    home,
    of("s-1", concern("done", { kind: "finished", atMs: ago(900) }), concern("late", { atMs: ago(10) })),
    of("s-2", concern("early", { atMs: ago(60) }), concern("over", { atMs: ago(990), state: "resolved" })),
    of("s-3", concern("broken", { kind: "failed", atMs: ago(30) })),
  );
  expect((await jsonLines()).map(({ id, kind }) => [id, kind])).toEqual([
    ["early", "needs-you"],
    ["late", "needs-you"],
    ["broken", "failed"],
    ["done", "finished"],
  ]);
});

test.each([
  { name: "a prompt", alert: { lastEvent: "Prompt", promptedAtMs: ago(50), lastAtMs: ago(50) }, is: "working", s: 50 },
  { name: "its end", alert: { lastEvent: "SessionEnd", lastAtMs: ago(40) }, is: "ended", s: 40 },
  { name: "a turn's end", alert: { lastEvent: "Stop", promptedAtMs: ago(50), lastAtMs: ago(30) }, is: "done", s: 30 },
  { name: "a request", answered: "result", alert: { promptedAtMs: ago(50), lastAtMs: ago(30) }, is: "working", s: 20 },
  { name: "a request", answered: "agent gone", alert: { lastAtMs: ago(30) }, is: "ended", s: 30 },
])("a session without open requests is $is after $name ($answered)", async ({ alert, answered, is, s }) => {
  const over = concern("a", { state: "resolved", resolvedBy: answered ?? "prompt", resolvedAtMs: ago(20) });
  writeAlerts(home, makeAlert({ ...alert, concerns: answered ? [over] : [] }));
  const [line] = await jsonLines();
  expect([line?.["state"], line?.["sinceAt"]]).toEqual([is, new Date(ago(s)).toISOString()]);
});

test("a request that got its result since the worker left is not listed, and one that got another's is", async () => {
  const transcriptPath = `${home.paths.state}/transcript.jsonl`;
  const line = (id: string) =>
    `${JSON.stringify({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id }] } })}\n`;
  home.write(transcriptPath, line("t1") + line("t3"));
  home.write(`${home.paths.state}/transcript/subagents/agent-a1.jsonl`, line("t2"));
  const readTo = { "": line("t1").length, a1: 0 };
  const open = ["t1", "t2", "t3", "a1/t2"].map((id) => concern(id, { calls: [id], readTo, event: { transcriptPath } }));
  writeAlerts(home, makeAlert({ concerns: open }));
  expect((await jsonLines()).map(({ id }) => id)).toEqual(["t1", "t2"]);
});

test("a session whose request was only seen still waits until it shows activity", async () => {
  const transcriptPath = `${home.paths.state}/transcript.jsonl`;
  home.write(transcriptPath, "0123456789");
  const request = { atMs: ago(60), state: "resolved", resolvedBy: "seen", resolvedAtMs: ago(20) } as const;
  const rows: [string, Partial<Concern>, Partial<Alert>][] = [
    ["waiting (seen)", {}, {}],
    ["waiting (seen)", { resolvedBy: "button" }, {}],
    ["waiting (seen)", { transcriptBytes: 10 }, { transcriptPath }],
    ["waiting (seen)", { transcriptBytes: 10 }, { transcriptPath: "/gone.jsonl" }],
    ["waiting (seen)", { transcriptBytes: 9 }, { transcriptPath, isRelayed: true }],
    ["working", { transcriptBytes: 9 }, { transcriptPath }],
    ["working", {}, { lastEvent: "Prompt", lastAtMs: ago(10) }],
    ["working", { resolvedBy: "result" }, {}],
    ["working", { kind: "finished" }, {}],
    ["done", {}, { lastEvent: "Stop", lastAtMs: ago(10) }],
  ];
  const failures = await collectFailures(rows, async ([state, more, alert]) => {
    writeAlerts(
      home,
      makeAlert({ lastAtMs: ago(60), ...alert, concerns: [concern("a", { ...request, ...more } as Partial<Concern>)] }),
    );
    expect((await jsonLines())[0]?.["state"]).toBe(state === "waiting (seen)" ? "waiting-seen" : state);
    expect(await sessions()).toContain(` ${state} `);
  });
  expect(failures).toEqual([]);
});

test("a session without events for a day is hidden, as is a file other than an alert", async () => {
  writeAlerts(home, makeAlert({ lastAtMs: ago(25 * 3_600), concerns: [concern("a")] }));
  home.write(`${home.paths.state}/alerts/${"0".repeat(32)}.json`, "{torn");
  expect(await sessions()).toBe("No sessions in the last 24 hours.\n");
  expect(await sessions("--line")).toBe("");
  expect(await sessions("--json")).toBe("");
});

test("--line counts requests, failures and ended turns, and names three sessions at most", async () => {
  const at = (sessionId: string, project: string, seconds: number, more: Partial<Concern> = {}) =>
    makeAlert({ sessionId, project, concerns: [concern("a", { atMs: ago(seconds), ...more })] });
  const two = [concern("a", { atMs: ago(180) }), concern("b", { atMs: ago(1) })];
  writeAlerts(home, at("s-1", "api", 12), makeAlert({ sessionId: "s-2", project: "shop", concerns: two }));
  expect(await sessions("--line")).toBe("3 waiting: shop 3m, api 12s\n");
  writeAlerts(home, at("s-3", "web", 7_200, { kind: "failed" }), at("s-4", "site", 2, { kind: "finished" }));
  expect(await sessions("--line")).toBe("3 waiting, 1 failed, 1 done: shop 3m, api 12s, web 2h, 1 more\n");
});

test("sessions that would read alike show as much of their ids as tells them apart, which seen takes", async () => {
  const at = (sessionId: string, project: string) => makeAlert({ sessionId, project, concerns: [concern(sessionId)] });
  writeAlerts(home, at("abcd-11", "api"), at("abcd-12", "api"), at("ffff-1", "api"), at("abcd-2", "shop"));
  const text = await sessions();
  expect(text.match(/api \S+/g)?.toSorted()).toEqual(["api abcd-11", "api abcd-12", "api ffff"]);
  expect(text).toMatch(/shop +Claude/);
  expect((await home.run(["seen", "abcd-12"])).exitCode).toBe(0);
  expect(home.spooled()).toHaveLength(1);
});

test("messages of beckon's own commands are listed only while they wait", async () => {
  const own = { agent: "cli", sessionId: "own", project: "home" };
  writeAlerts(home, makeAlert(own));
  expect(await sessions()).toBe("No sessions in the last 24 hours.\n");
  expect(await jsonLines()).toEqual([]);
  writeAlerts(home, makeAlert({ ...own, concerns: [concern("c-1")] }));
  expect(await sessions()).toContain("Command line");
});

const hostile = "\u001b[2J\u001b]0;owned\u0007<b>\u202eevil\u0000\n\tline two 👩‍👩‍👧‍👦 日本語";
const secret = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz";

test.each([20, 60, 80, 120])("hostile texts stay text at %i columns, and no secret is shown", async (columns) => {
  const event = { message: `${hostile} ${secret}` };
  const texts = { project: hostile, agent: hostile, host: hostile, title: `${secret} ${hostile}` };
  writeAlerts(
    home,
    makeAlert({ ...texts, concerns: [concern("a", { event })] }),
    makeAlert({ ...texts, sessionId: "s-2" }),
  );
  const terminal = { columns: () => columns, write: () => {} };
  const { stdout } = await home.run(["sessions"], { terminal });
  for (const text of [stdout, await sessions("--line"), await sessions("--json")]) {
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]|sk-ant-api03-0123/);
  }
  const tooLong = stdout.split("\n").filter((line) => countCells(line) > columns && line.trim().includes(" "));
  expect(tooLong).toEqual([]);
});

test.each([
  { words: ["--watch"], says: /--watch needs a terminal/ },
  { words: ["--json", "--line"], says: /cannot be combined/ },
])("$words is wrong usage without a terminal", async ({ words, says }) => {
  const { exitCode, stderr } = await home.run(["sessions", ...words]);
  expect([exitCode, says.test(stderr)]).toEqual([2, true]);
});

test("a terminal shows the first 50 sessions, and how many are left out", async () => {
  const many = Array.from({ length: 1_000 }, (_, n) =>
    makeAlert({ sessionId: `s-${n}`, concerns: n < 40 ? [concern(`c-${n}`)] : [] }),
  );
  writeAlerts(home, ...many.map((alert) => ({ ...alert, lastAtMs: nowMs })));
  const terminal = { columns: () => 80, write: () => {} };
  const shown = async (...args: string[]) =>
    (await home.run(["sessions", ...args], { now: () => nowMs, terminal })).stdout.trimEnd().split("\n");
  const lines = await shown();
  expect([lines.length, lines.at(-1)]).toEqual([53, "950 more (--all)"]);
  expect(lines.filter((line) => line.includes("needs-you"))).toHaveLength(40);
  expect(await shown("--all")).toHaveLength(1_002);
  expect((await sessions()).trimEnd().split("\n")).toHaveLength(1_002);
  expect(await jsonLines()).toHaveLength(1_000);
  const watch = async (rows: number, ...args: string[]) => {
    const stop = new AbortController();
    let drawn = "";
    const write = (text: string) => {
      drawn += text;
      if (text.includes("Waiting for you")) stop.abort();
    };
    const watching = {
      now: () => nowMs,
      terminal: { columns: () => 80, rows: () => rows, write },
      interruption: () => stop.signal,
    };
    await home.run(["sessions", "--watch", ...args], watching);
    return drawn.split("\n");
  };
  expect((await watch(100)).length).toBeLessThan(60);
  // The waiting sessions stay on a low screen.
  expect((await watch(24)).length).toBeLessThanOrEqual(24);
  expect((await watch(24)).filter((line) => line.includes("needs-you"))).toHaveLength(19);
  expect((await watch(24, "--all")).length).toBeGreaterThan(1_000);
});
