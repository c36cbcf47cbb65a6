import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { RecentFirings } from "../../src/pipeline/recent-events.ts";

const start = 1_700_000_000_000;
let folder: string;
let recent: RecentFirings;
let count = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "beckon-recent-"));
  recent = new RecentFirings(join(folder, "state", "recent.json"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A firing so many milliseconds after the start. */
function firing(name: string, afterMs: number, more: Partial<AgentEvent> = {}): AgentEvent {
  const { agent = "claude" } = more;
  const rule = agents.find((one) => one.name === agent)?.firings[name];
  count += 1;
  return {
    id: `id-${count}`,
    atMs: start + afterMs,
    event: rule?.event ?? name,
    firing: name,
    agent,
    kind: rule?.kind ?? "info",
    sessionId: "s",
    project: "shop",
    extra: {},
    ...more,
  };
}

const judge = (...args: Parameters<typeof firing>): AgentEvent => recent.judge(firing(...args));

describe("a repeat", () => {
  test("within two seconds is skipped, and later no more", () => {
    expect(judge("Stop", 0).skip).toBeUndefined();
    expect(judge("Stop", 1_999).skip).toBe("a repeat within two seconds");
    expect(judge("Stop", 2_000).skip).toBeUndefined();
  });

  test.each<[string, Partial<AgentEvent>]>([
    ["another session", { sessionId: "other" }],
    ["another agent", { agent: "qwen" }],
    ["another turn", { turnId: "t2" }],
    ["another firing of another event", { event: "SubagentStop", firing: "SubagentStop" }],
  ])("is none: %s", (_, more) => {
    judge("Stop", 0, { turnId: "t1" });
    expect(judge("Stop", 100, { turnId: "t1", ...more }).skip).toBeUndefined();
  });

  test("is none where the notification is of another type", () => {
    judge("Notification", 0, { notificationType: "auth_success", kind: "info" });
    expect(judge("Notification", 100, { notificationType: "permission_prompt" }).skip).toBeUndefined();
  });

  test("is none of what was skipped itself: the end that counts comes after a false one", () => {
    expect(judge("Stop", 0, { skip: "background tasks are still running" }).skip).toContain("background");
    expect(judge("Stop", 500).skip).toBeUndefined();
    expect(judge("Stop", 1_000).skip).toContain("repeat");
    expect(judge("Stop", 2_600).skip).toBeUndefined();
  });

  test("is none of an agent's own events, which nobody is called for", () => {
    judge("PostToolUse", 0);
    expect(judge("PostToolUse", 1).skip).toBeUndefined();
  });

  test("of a session without an id is told by its folder", () => {
    const { sessionId: _, ...first } = firing("Stop", 0, { cwd: "/a" });
    const { sessionId: __, ...second } = firing("Stop", 1, { cwd: "/b" });
    const { sessionId: ___, ...third } = firing("Stop", 2, { cwd: "/a" });
    expect([first, second, third].map((event) => recent.judge(event).skip !== undefined)).toEqual([false, false, true]);
  });

  test("of a session's end is one whatever turn it names", () => {
    judge("SessionEnd", 0, { agent: "qwen", turnId: "t1" });
    expect(judge("SessionEnd", 100, { agent: "qwen", turnId: "t2" }).skip).toContain("repeat");
  });

  test("is not the same event judged again after a crash", () => {
    const event = firing("Stop", 0);
    expect(recent.judge(event).skip).toBeUndefined();
    expect(recent.judge(event).skip).toBeUndefined();
  });
});

describe("an echo", () => {
  test("Copilot's error is told once for all its attempts at a call, at the times they were measured at", () => {
    const attempts = [0, 650, 1_800, 4_200, 8_700, 16_500].map((atMs) =>
      judge("ErrorOccurred", atMs, { agent: "copilot" }),
    );
    expect(attempts.map(({ skip }) => skip !== undefined)).toEqual([false, true, true, true, true, true]);
    expect(judge("Stop", 17_000, { agent: "copilot" })).not.toHaveProperty("skip");
  });

  const rules = agents.flatMap((agent) => agent.echoes.map((rule) => ({ agent: agent.name, ...rule })));

  test.each(rules)("of $agent: $firing $notificationType within $withinMs ms after $after", (rule) => {
    const { agent, firing: name, notificationType, after, withinMs } = rule;
    const more = { agent, ...(notificationType !== undefined && { notificationType }) };
    judge(after, 0, { agent });
    expect(judge(name, withinMs - 1, more).skip).toMatch(/^an echo of|^a repeat/);
    recent = new RecentFirings(join(folder, "none.json"));
    judge(after, 0, { agent });
    expect(judge(name, withinMs, more).skip).toBeUndefined();
    recent = new RecentFirings(join(folder, "none.json"));
    expect(judge(name, 0, more).skip).toBeUndefined();
  });

  test("is none in another session, or of another type", () => {
    judge("Stop", 0);
    expect(judge("Notification", 100, { notificationType: "idle_prompt", sessionId: "other" }).skip).toBeUndefined();
    expect(judge("Notification", 100, { notificationType: "permission_prompt" }).skip).toBeUndefined();
  });

  test("of two ends is the second and the third, as Gemini fires them", () => {
    const skips = [0, 10, 20].map((afterMs) => judge("SessionEnd", afterMs, { agent: "gemini", reason: "exit" }).skip);
    expect(skips.map((skip) => skip !== undefined)).toEqual([false, true, true]);
  });
});

describe("a session's end for another reason", () => {
  test.each<[string, number | undefined, string]>([
    ["without a Stop is a failure", undefined, "failed"],
    ["just after a Stop is the end of a headless run", 0, "info"],
    ["29.9 s after a Stop likewise", 29_900, "info"],
    ["30 s after a Stop is a failure", 30_000, "failed"],
  ])("%s", (_, afterMs, kind) => {
    if (afterMs !== undefined) judge("Stop", 0);
    expect(judge("SessionEnd", afterMs ?? 0, { reason: "other" }).kind).toBe(kind);
  });

  test("is a failure after another session's Stop, and no failure after a Stop that was skipped", () => {
    judge("Stop", 0, { sessionId: "one" });
    judge("Stop", 0, { sessionId: "two", skip: "background tasks are still running" });
    expect(judge("SessionEnd", 1, { sessionId: "three", reason: "other" }).kind).toBe("failed");
    expect(judge("SessionEnd", 1, { sessionId: "two", reason: "other" }).kind).toBe("info");
  });

  test("says nothing of an agent that gives no other reason", () => {
    expect(judge("SessionEnd", 90_000, { agent: "codex", reason: "other" }).kind).toBe("info");
    expect(judge("SessionEnd", 90_000, { agent: "droid", reason: "other" }).kind).toBe("failed");
  });

  test("that is ordinary stays what it is", () => {
    expect(judge("SessionEnd", 0, { reason: "exit" }).kind).toBe("info");
    expect(judge("SessionEnd", 1, { reason: "error", kind: "failed", sessionId: "x" }).kind).toBe("failed");
  });
});

describe("the memory", () => {
  const file = () => join(folder, "state", "recent.json");
  const restart = (): void => {
    recent.save();
    recent = new RecentFirings(file());
  };

  test("outlives the worker, for this user alone", () => {
    judge("Stop", 0);
    restart();
    expect(judge("Stop", 1_000).skip).toContain("repeat");
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
  });

  test("is written only when it changed", () => {
    recent.save();
    expect(existsSync(file())).toBe(false);
  });

  test.each([
    ["torn", '[{"id":"x","atMs"'],
    ["of another shape", '[null,{"id":5},[]]'],
    ["no list", '{"id":"x"}'],
    ["of another version", '[{"id":"x","atMs":1,"agent":"claude"}]'],
    ["binary", "\0\0\0"],
  ])("starts anew where its file is %s", (_, text) => {
    judge("Stop", 0);
    recent.save();
    writeFileSync(file(), text);
    recent = new RecentFirings(file());
    expect(judge("Stop", 1).skip).toBeUndefined();
    restart();
    expect(judge("Stop", 2).skip).toContain("repeat");
  });

  test("holds the last five minutes, and no more than 500 firings", () => {
    for (let index = 0; index < 700; index += 1) judge("Stop", index * 10, { sessionId: `s${index}` });
    recent.save();
    expect(JSON.parse(readFileSync(file(), "utf8"))).toHaveLength(500);
    judge("Stop", 6 * 60_000);
    recent.save();
    expect(JSON.parse(readFileSync(file(), "utf8")).length).toBeLessThan(10);
  });

  test("does not hold a clock that went back against anybody", () => {
    judge("Stop", 0);
    expect(judge("Stop", -3_600_000).skip).toBeUndefined();
    expect(judge("Stop", -3_600_000 + 500).skip).toContain("repeat");
    expect(judge("SessionEnd", -3_600_000 + 600, { reason: "other" }).kind).toBe("info");
  });
});

test("what calls for somebody is never skipped for what was skipped itself", () => {
  const quiet = fc.record({
    name: fc.constantFrom("Stop", "StopFailure", "PermissionRequest", "Notification", "SessionEnd"),
    afterMs: fc.nat(5_000),
  });
  const types = fc.constantFrom("permission_prompt", "idle_prompt");
  const agent = fc.constantFrom("claude", "qwen", "droid", "gemini");
  const name = fc.constantFrom("Stop", "Notification", "SessionEnd");
  fc.assert(
    fc.property(fc.array(quiet, { maxLength: 20 }), agent, name, types, (before, who, mine, notificationType) => {
      recent = new RecentFirings(join(folder, "none.json"));
      for (const one of before) judge(one.name, one.afterMs, { agent: who, notificationType, skip: "a false end" });
      expect(judge(mine, 5_000, { agent: who, notificationType }).skip).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});
