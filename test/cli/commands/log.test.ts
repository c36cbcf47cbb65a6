import picocolors from "picocolors";
import { expect, test } from "vitest";
import { useCliHome } from "../../world/cli-home.ts";
import { fixDate } from "../../world/fixed-date.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();
const nowMs = new Date(2026, 10, 22, 4, 55).getTime();
fixDate(nowMs);

const at = (day: number, second = 0): string => new Date(2026, 10, day, 4, 52, 0, second * 1_000).toISOString();
const jsonIds = async (...args: string[]): Promise<string[]> => {
  const { stdout } = await home.run(["log", "--json", ...args]);
  return stdout.split("\n").flatMap((text) => (text ? [JSON.parse(text).id] : []));
};

test("--json prints the journal's objects, one a line, with these keys only", async () => {
  const whole = {
    ...{ at: at(21), id: "event-0001", event: "Stop", agent: "droid", kind: "finished", sessionId: "s-1" },
    ...{ project: "shop", summary: "The tests pass.", notifier: "team", status: "retrying" as const },
    ...{ reason: "timeout: too slow", attempt: 2, tookMs: 12 },
  };
  home.journal({ ...whole, ...{ surprise: 1 } }, { at: at(21), id: "event-0002", status: "rejected" });
  const { stdout } = await home.run(["log", "--json"]);
  const [first, second, end] = stdout.split("\n");
  expect(first).toBe(JSON.stringify(whole));
  expect(second).toBe(JSON.stringify({ at: at(21), id: "event-0002", status: "rejected" }));
  expect(end).toBe("");
});

test("the newest lines of all months are shown, newest last, 50 by default", async () => {
  for (let day = 1; day <= 30; day += 1) {
    home.journal({ at: new Date(2026, 9, day, 12).toISOString(), id: `oct-${day}`, status: "sent" });
    home.journal({ at: new Date(2026, 10, day, 12).toISOString(), id: `nov-${day}`, status: "sent" });
  }
  const ids = await jsonIds();
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, "oct-11", "nov-30"]);
  expect(await jsonIds("--limit", "2")).toEqual(["nov-29", "nov-30"]);
  expect(await jsonIds("--limit", "1000")).toHaveLength(60);
});

test("an id is printed as far as it differs from the others, so that `why` accepts it", async () => {
  const ids = ["mwy6en2k-a1", "mwy6en2k-b2", "mwy6en2k-b27", "mwy7gc75-a1"];
  for (const id of ids) home.journal({ at: at(21), id, status: "accepted" });
  const { stdout } = await home.run(["log"]);
  const printed = [...stdout.matchAll(/mwy\S+/g)].map(([id]) => id);
  expect(printed).toEqual(["mwy6en2k-a", "mwy6en2k-b2", "mwy6en2k-b27", "mwy7gc75"]);
  for (const id of printed) expect((await home.run(["why", id])).exitCode, id).toBe(0);
});

test("a prompt is shown to programs, not to people", async () => {
  const about = { agent: "droid", kind: "info", project: "shop", status: "accepted" } as const;
  const ended = { ...about, at: at(21), id: "end-0001", event: "SessionEnd" };
  home.journal({ ...about, at: at(21), id: "prompt-1", event: "Prompt" }, ended);
  const { stdout } = await home.run(["log"]);
  expect(stdout).toContain("SessionEnd");
  expect(stdout).not.toContain("rompt");
  expect(await jsonIds()).toEqual(["prompt-1", "end-0001"]);
});

test("--session and --failed filter before the limit applies", async () => {
  for (const status of ["accepted", "sent", "skipped", "retrying", "failed", "expired", "rejected"] as const) {
    home.journal({ id: status, sessionId: "abc-1", status }, { id: `other-${status}`, sessionId: "xyz", status });
  }
  expect(await jsonIds("--failed", "--session", "abc-1")).toEqual(["failed", "expired", "rejected"]);
  expect(await jsonIds("--session", "abc")).toHaveLength(7);
  expect(await jsonIds("--failed", "--limit", "1")).toEqual(["other-rejected"]);
});

test("events stand in the order in which their hooks recorded them, and a wait is as long as its delay", async () => {
  home.journal(
    { at: at(21, 2), id: "bbbbbbbb", kind: "finished", status: "sent", receivedAt: at(21, 1.9) },
    { at: at(21, 3), id: "aaaaaaaa", kind: "needs-you", status: "accepted", receivedAt: at(21, 1.1) },
    { at: at(21, 6.2), id: "aaaaaaaa", status: "resolved", resolvedBy: "prompt", waitedMs: 4_600 },
  );
  const inOrder = /:01 +aaaa.*\n +\+5 s +resolved +answered after 5 s: you typed a prompt\n04:52:01 +bbbb/;
  expect((await home.run(["log"])).stdout).toMatch(inOrder);
});

test("people see events in order of time, with outcomes and delays, however they interleave", async () => {
  const event = { event: "Stop", agent: "droid", kind: "finished", project: "shop" };
  const other = { ...event, kind: "needs-you", project: "a-longer-name" };
  const [first, second] = ["aaaaaaaa-1111", "bbbbbbbb-2222"];
  home.journal(
    { at: at(21, 1), id: first, ...event, status: "accepted", summary: "Done" },
    { at: at(21, 2), id: second, ...other, status: "accepted" },
    { at: at(21, 2), id: second, ...other, status: "sent", notifier: "desk", tookMs: 7 },
    { at: at(21, 4), id: first, ...event, status: "failed", notifier: "team", reason: "auth: no", attempt: 2 },
    { at: at(22, 5), id: "cccccccc-3333", ...event, kind: "info", event: "SessionEnd", status: "accepted" },
  );
  expect((await home.run(["log"])).stdout.split("\n")).toEqual([
    "2026-11-21",
    '04:52:01  aaaaaaaa  finished   droid  shop           "Done"',
    "    +3 s  failed    team       attempt 2, auth: no",
    "04:52:02  bbbbbbbb  needs-you  droid  a-longer-name",
    "          sent      desk       7 ms",
    "2026-11-22",
    "04:52:05  cccccccc  info       droid  shop           SessionEnd",
    "          accepted",
    "",
  ]);
});

test("--limit counts the events that came last and shows each whole, however far apart its lines are", async () => {
  for (let count = 1; count <= 9; count += 1) {
    home.journal({ at: at(21, count), id: `event-${count}`, status: "accepted" });
  }
  for (let count = 9; count >= 1; count -= 1) {
    home.journal({ at: at(21, 20 - count), id: `event-${count}`, notifier: "desk", status: "sent" });
  }
  expect(await jsonIds("--limit", "2")).toEqual(["event-8", "event-9", "event-9", "event-8"]);
  const { stdout } = await home.run(["log", "--limit", "2"]);
  expect(stdout.match(/ sent /g)).toHaveLength(2);
});

test("--since, --project, --agent and --kind filter", async () => {
  const ago = (hours: number): string => new Date(nowMs - hours * 3_600_000).toISOString();
  home.journal(
    { at: ago(50), id: "old", project: "shop", agent: "droid", kind: "failed", status: "sent" },
    { at: ago(5), id: "new", project: "shop", agent: "claude", kind: "finished", status: "sent" },
    { at: ago(1), id: "api", project: "api", agent: "droid", kind: "needs-you", status: "sent" },
  );
  expect(await jsonIds("--since", "2h")).toEqual(["api"]);
  expect(await jsonIds("--since", "2d")).toEqual(["new", "api"]);
  expect(await jsonIds("--since", ago(6))).toEqual(["new", "api"]);
  expect(await jsonIds("--since", ago(2000).slice(0, 10))).toHaveLength(3);
  expect(await jsonIds("--since", "9999999999w")).toHaveLength(3);
  expect(await jsonIds("--project", "shop", "--agent", "claude")).toEqual(["new"]);
  expect(await jsonIds("--project", "/srv/shop", "--agent", "claude")).toEqual(["new"]);
  expect(await jsonIds("--kind", "failed")).toEqual(["old"]);
  expect((await home.run(["log", "--project", "nope"])).stdout).toContain("No matching events");
  const stderr = expect.stringContaining("30m, 2h");
  for (const wrong of ["soon", "2026-13-41", "5y"])
    expect(await home.run(["log", "--since", wrong])).toMatchObject({ exitCode: 2, stderr });
});

test("--failed excludes deliveries that were sent later, or became needless", async () => {
  const failed = { id: "event-0001", status: "failed" } as const;
  home.journal(
    { at: at(20, 1), ...failed, notifier: "team" },
    { at: at(20, 1), ...failed, notifier: "mail" },
    { at: at(20, 1), ...failed, notifier: "desk" },
    { at: at(20, 9), id: failed.id, status: "skipped", notifier: "desk", reason: "already resolved" },
    { at: at(20, 9), id: failed.id, status: "sent", notifier: "team" },
  );
  const { stdout } = await home.run(["log", "--json", "--failed"]);
  expect(readOutput("log", stdout)).toMatchObject([{ notifier: "mail" }]);
});

test("no escape sequence of an event reaches the terminal; the only ones are beckon's colours", async () => {
  const evil = "\u001b]52;c;ZXZpbA==\u0007x\u001b[31m\u202ey\nz";
  const texts = { project: evil, notifier: evil, event: evil, agent: evil, summary: evil, reason: evil };
  home.journal({ id: evil, ...texts, status: "sent" });
  const { stdout } = await home.run(["log"], { colors: picocolors.createColors(true) });
  expect(stdout).toContain("\u001b[32msent\u001b[39m");
  const ours = /\u001b\[\d{1,2}m/g;
  expect(stdout.replace(ours, "")).toMatch(/^(?:[\x20-\x7e⏎]+\n){3}$/);
});

test.each([
  { name: "an empty journal", args: [], says: /no hook has fired yet.*beckon doctor/ },
  { name: "no loss", args: ["--failed"], says: /No lost events/ },
  { name: "an unknown session", args: ["--session", "nope"], says: /has no session nope/ },
])("$name is reported to people, and prints no line with --json", async ({ args, says }) => {
  expect(await home.run(["log", ...args])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(says) });
  expect(await home.run(["log", "--json", ...args])).toMatchObject({ exitCode: 0, stdout: "" });
});

test("torn and foreign lines are skipped", async () => {
  home.journal({ id: "good-0001", status: "sent" });
  const month = `${new Date(nowMs).toISOString().slice(0, 7)}.jsonl`;
  const path = `${home.paths.journal}/${month}`;
  const good = JSON.stringify({ at: at(1), id: "good-0002", status: "sent" });
  home.write(path, `7\nnull\n[]\n{"at":5}\n${good}\n{"at":"20`);
  expect(await jsonIds()).toEqual(["good-0002"]);
});

test("people see a short wait only as the last line, and a longer one with time and reason", async () => {
  const line = (status: "held" | "sent", second: number, others = {}) =>
    ({ at: at(21, second), id: "event-0001", notifier: "desk", status, ...others }) as const;
  const moment = line("held", 0, { until: at(21, 2), reason: "in case you answer first" });
  home.journal(moment);
  expect((await home.run(["log"])).stdout).toContain("until 04:52:02: in case you answer first");
  home.journal(line("held", 2, { until: at(22), reason: "snoozed" }), line("sent", 59));
  const { stdout } = await home.run(["log"]);
  expect(stdout).not.toContain("answer first");
  expect(stdout).toContain("until 2026-11-22 04:52: snoozed");
  expect((await home.run(["log", "--json"])).stdout).toContain("answer first");
});

test.each([
  { resolvedBy: "prompt", says: "answered after 12 s: you typed a prompt" },
  { resolvedBy: "agent gone", says: "after 12 s: the agent has exited" },
  { resolvedBy: "a newer word", says: "after 12 s: a newer word" },
])("the end of a wait shows its length and cause: $resolvedBy", async ({ resolvedBy, says }) => {
  home.journal({ at: at(21), id: "event-0001", status: "resolved", resolvedBy, waitedMs: 12_000 });
  expect((await home.run(["log"])).stdout).toMatch(new RegExp(`resolved +${says}$`, "m"));
});

test("what a notifier skips because it does not work here is folded, unless nothing else happened, or with --all", async () => {
  const event = { event: "Notification", kind: "needs-you", agent: "claude", project: "shop" } as const;
  const skipped = { status: "skipped", notifier: "desk", reason: "unsupported: there is no desktop" } as const;
  home.journal(
    { id: "event-0001", ...event, status: "accepted" },
    { id: "event-0001", ...event, ...skipped },
    { id: "event-0001", ...event, status: "sent", notifier: "terminal", tookMs: 3 },
    { id: "event-0002", ...event, ...skipped },
  );
  const { stdout } = await home.run(["log"]);
  expect(stdout.match(/no desktop/g)).toHaveLength(1);
  expect(stdout).toMatch(/sent +terminal/);
  expect((await home.run(["log", "--all"])).stdout.match(/no desktop/g)).toHaveLength(2);
  expect((await home.run(["log", "--json"])).stdout.match(/no desktop/g)).toHaveLength(2);
});
