import picocolors from "picocolors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../cli-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

const at = (day: number, second = 0): string => new Date(2026, 10, day, 4, 52, second).toISOString();
const jsonIds = async (...args: string[]): Promise<string[]> => {
  const { stdout } = await home.run(["log", "--json", ...args]);
  return stdout.split("\n").flatMap((text) => (text ? [JSON.parse(text).id] : []));
};

test("--json prints the journal's objects, one a line, with these keys only", async () => {
  const whole = {
    at: at(21),
    id: "event-0001",
    event: "Stop",
    agent: "droid",
    kind: "finished",
    sessionId: "s-1",
    project: "shop",
    summary: "The tests pass.",
    notifier: "team",
    status: "retrying",
    reason: "timeout: too slow",
    attempt: 2,
    tookMs: 12,
  } as const;
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

test("--session and --failed filter before the limit applies", async () => {
  for (const status of ["accepted", "sent", "skipped", "retrying", "failed", "expired", "rejected"] as const) {
    home.journal({ id: status, sessionId: "abc-1", status }, { id: `other-${status}`, sessionId: "xyz", status });
  }
  expect(await jsonIds("--failed", "--session", "abc-1")).toEqual(["failed", "expired", "rejected"]);
  expect(await jsonIds("--session", "abc")).toHaveLength(7);
  expect(await jsonIds("--failed", "--limit", "1")).toEqual(["other-rejected"]);
});

test("a person sees the lines of an event together, aligned, without repetitions", async () => {
  const event = { event: "Stop", agent: "droid", kind: "finished", project: "shop" };
  home.journal(
    { at: at(21, 1), id: "aaaaaaaa-1111", ...event, status: "accepted", summary: `Done ${"x".repeat(99)}` },
    { at: at(21, 2), id: "bbbbbbbb-2222", ...event, kind: "needs-you", project: "a-longer-name", status: "accepted" },
    {
      at: at(21, 3),
      id: "bbbbbbbb-2222",
      ...event,
      kind: "needs-you",
      project: "a-longer-name",
      status: "sent",
      notifier: "desk",
      tookMs: 7,
    },
    {
      at: at(21, 4),
      id: "aaaaaaaa-1111",
      ...event,
      status: "failed",
      notifier: "team",
      reason: "auth: no",
      attempt: 2,
    },
  );
  expect((await home.run(["log"])).stdout.split("\n")).toEqual([
    "2026-11-21 04:52:02  bbbbbbbb  accepted  needs-you  droid  a-longer-name  Stop",
    "           04:52:03            sent                                             desk  7 ms",
    `2026-11-21 04:52:01  aaaaaaaa  accepted  finished   droid  shop           Stop        ${JSON.stringify(`Done ${"x".repeat(54)}…`)}`,
    "           04:52:04            failed                                           team  attempt 2, auth: no",
    "",
  ]);
});

test("no escape sequence of an event reaches the terminal; the only ones are beckon's colours", async () => {
  const evil = "\u001b]52;c;ZXZpbA==\u0007x\u001b[31m\u202ey\nz";
  home.journal({
    id: evil,
    project: evil,
    notifier: evil,
    event: evil,
    agent: evil,
    summary: evil,
    reason: evil,
    status: "sent",
  });
  const { stdout } = await home.run(["log"], { colors: picocolors.createColors(true) });
  expect(stdout).toContain("\u001b[32msent\u001b[39m");
  const ours = /\u001b\[\d{1,2}m/g;
  expect(stdout.replace(ours, "")).toMatch(/^[\x20-\x7e]*\n$/);
});

test.each([
  { name: "an empty journal", args: [], says: /no hook has fired yet.*beckon doctor/ },
  { name: "no loss", args: ["--failed"], says: /Nothing has been lost/ },
  { name: "an unknown session", args: ["--session", "nope"], says: /has no session nope/ },
])("$name is reported in words, and as no line with --json", async ({ args, says }) => {
  expect(await home.run(["log", ...args])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(says) });
  expect(await home.run(["log", "--json", ...args])).toMatchObject({ exitCode: 0, stdout: "" });
});

test("lines that are torn or not beckon's are skipped", async () => {
  home.journal({ id: "good-0001", status: "sent" });
  const month = `${new Date().toISOString().slice(0, 7)}.jsonl`;
  const path = `${home.paths.journal}/${month}`;
  home.write(
    path,
    `7\nnull\n[]\n{"at":5}\n${JSON.stringify({ at: at(1), id: "good-0002", status: "sent" })}\n{"at":"20`,
  );
  expect(await jsonIds()).toEqual(["good-0002"]);
});
