import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { judge } from "../../src/pipeline/judge.ts";
import { RecentEvents } from "../../src/pipeline/recent-events.ts";
import { arrive, eventAt } from "../world/arriving-events.ts";

const noFile = join(tmpdir(), "beckon-no-such-folder", "recent.json");
let recent: RecentEvents;
const forget = (): void => {
  recent = new RecentEvents(noFile);
};
beforeEach(forget);

const take = (...args: Parameters<typeof eventAt>): AgentEvent => arrive(recent, eventAt(...args));
const isSkipped = (...args: Parameters<typeof eventAt>): boolean => take(...args).skip !== undefined;

const runs = (command: string) => ({ extra: { tool_input: { command } } });

describe("a repeat", () => {
  test("is skipped within two seconds and not later", () => {
    expect(take("Stop", 0).skip).toBeUndefined();
    expect(take("Stop", 1_999).skip).toBe("a repeat within two seconds");
    expect(take("Stop", 2_000).skip).toBeUndefined();
  });

  test("is skipped if it began first and arrives last", () => {
    expect(take("Stop", 100).skip).toBeUndefined();
    expect(take("Stop", 60).skip).toBe("a repeat within two seconds");
  });

  test.each<[string, Partial<AgentEvent>]>([
    ["session", { sessionId: "other" }],
    ["agent", { agent: "qwen" }],
    ["turn", { turnId: "t2" }],
    ["event", { event: "SubagentStop", nativeEvent: "SubagentStop" }],
  ])("of another %s is kept", (_, more) => {
    take("Stop", 0, { turnId: "t1" });
    expect(take("Stop", 100, { turnId: "t1", ...more }).skip).toBeUndefined();
  });

  test.each<[string, string, Partial<AgentEvent>, string, Partial<AgentEvent>]>([
    ["of another message", "Notification", { message: "Run a?" }, "Notification", { message: "Run b?" }],
    ["with another command", "PermissionRequest", runs("ls a"), "PermissionRequest", runs("ls b")],
    ["with other text", "Stop", { lastMessage: "One." }, "Stop", { lastMessage: "Two." }],
    ["after a finished turn", "Stop", {}, "StopFailure", {}],
    ["after a failed attempt", "ErrorOccurred", { agent: "copilot" }, "Stop", { agent: "copilot" }],
  ])("with another text or kind is kept: a %s %s", (_, first, said, second, says) => {
    take(first, 0, said);
    expect(take(second, 100, says).skip).toBeUndefined();
    expect(take(second, 200, says).skip).toBe("a repeat within two seconds");
  });

  test("of a request whose own hook waits for an answer is kept", () => {
    take("PermissionRequest", 0, runs("ls"));
    const event = eventAt("PermissionRequest", 100, runs("ls"));
    const skip = (isHeld: boolean) => {
      const session = { events: recent.listSession(event), nowMs: event.atMs };
      return judge(event, {}, { ...session, isHeld }).event.skip;
    };
    expect([skip(false), skip(true)]).toEqual(["a repeat within two seconds", undefined]);
  });

  test("of a Stop whose transcript shows a failure repeats the StopFailure", () => {
    take("StopFailure", 0);
    const stop = arrive(recent, eventAt("Stop", 100), { turnOutcome: "failed" });
    expect([stop.kind, stop.skip]).toEqual(["failed", "a repeat within two seconds"]);
  });

  test("with fewer pending calls in the transcript is kept", () => {
    const asks = (afterMs: number, openCalls: string[]) =>
      arrive(recent, eventAt("Notification", afterMs, { message: "Claude needs your permission" }), { openCalls });
    expect(asks(0, ["a", "b"]).skip).toBeUndefined();
    expect(asks(100, ["a", "b"]).skip).toBe("a repeat within two seconds");
    expect(asks(200, ["b"]).skip).toBeUndefined();
  });

  test("of another notification type is kept", () => {
    take("Notification", 0, { notificationType: "auth_success", kind: "info" });
    expect(take("Notification", 100, { notificationType: "permission_prompt" }).skip).toBeUndefined();
  });

  test("of a skipped event is kept, as the real Stop follows an ignored one", () => {
    expect(take("Stop", 0, { skip: "background tasks are still running" }).skip).toContain("background");
    expect(take("Stop", 500).skip).toBeUndefined();
    expect(take("Stop", 1_000).skip).toContain("repeat");
    expect(take("Stop", 2_600).skip).toBeUndefined();
  });

  test("of an event unknown to beckon is kept", () => {
    take("PostToolUse", 0);
    expect(take("PostToolUse", 1).skip).toBeUndefined();
  });

  test("in a session without an id is recognized by the folder", () => {
    const { sessionId: _, ...first } = eventAt("Stop", 0, { cwd: "/a" });
    const { sessionId: __, ...second } = eventAt("Stop", 1, { cwd: "/b" });
    const { sessionId: ___, ...third } = eventAt("Stop", 2, { cwd: "/a" });
    const arrived = [first, second, third].map((event) => arrive(recent, event));
    expect(arrived.map(({ skip }) => skip !== undefined)).toEqual([false, false, true]);
  });

  test("of a session's end is skipped whatever turn it names", () => {
    take("SessionEnd", 0, { agent: "qwen", turnId: "t1" });
    expect(take("SessionEnd", 100, { agent: "qwen", turnId: "t2" }).skip).toContain("repeat");
  });

  test("excludes an event that returns under its own id after a crash", () => {
    const event = eventAt("Stop", 0);
    expect(arrive(recent, event).skip).toBeUndefined();
    expect(arrive(recent, event).skip).toBeUndefined();
  });
});

describe("an echo", () => {
  test("Copilot's error rings once for all attempts at a call, at the measured times", () => {
    const skipped = [0, 650, 1_800, 4_200, 8_700, 16_500].map((afterMs) =>
      isSkipped("ErrorOccurred", afterMs, { agent: "copilot" }),
    );
    expect(skipped).toEqual([false, true, true, true, true, true]);
    expect(take("Stop", 17_000, { agent: "copilot" })).not.toHaveProperty("skip");
  });

  const rules = agents.flatMap((agent) => (agent.echoes ?? []).map((rule) => ({ agent: agent.name, ...rule })));

  test.each(rules)("of $agent's $after is $nativeEvent $notificationType within $withinMs ms", (rule) => {
    const { agent, nativeEvent, notificationType, after, withinMs } = rule;
    const echo = { agent, ...omitUndefined({ notificationType }) };
    take(after, 0, { agent });
    expect(take(nativeEvent, withinMs - 1, echo).skip).toMatch(/^an echo of|^a repeat/);
    forget();
    take(after, 0, { agent });
    expect(isSkipped(nativeEvent, withinMs, echo)).toBe(false);
    forget();
    expect(isSkipped(nativeEvent, 0, echo)).toBe(false);
  });

  test("in another session or of another notification type is kept", () => {
    take("Stop", 0);
    expect(take("Notification", 100, { notificationType: "idle_prompt", sessionId: "other" }).skip).toBeUndefined();
    expect(take("Notification", 100, { notificationType: "permission_prompt" }).skip).toBeUndefined();
  });

  test("of a session's end is skipped each time, as Gemini fires it", () => {
    const skipped = [0, 10, 20].map((afterMs) => isSkipped("SessionEnd", afterMs, { agent: "gemini", reason: "exit" }));
    expect(skipped).toEqual([false, true, true]);
  });
});

test("skipped events cause no other event to be skipped", () => {
  const quiet = fc.record({
    name: fc.constantFrom("Stop", "StopFailure", "PermissionRequest", "Notification", "SessionEnd"),
    afterMs: fc.nat(5_000),
  });
  const types = fc.constantFrom("permission_prompt", "idle_prompt");
  const agent = fc.constantFrom("claude", "qwen", "droid", "gemini");
  const name = fc.constantFrom("Stop", "Notification", "SessionEnd");
  fc.assert(
    fc.property(fc.array(quiet, { maxLength: 20 }), agent, name, types, (before, who, mine, notificationType) => {
      forget();
      for (const earlier of before)
        take(earlier.name, earlier.afterMs, { agent: who, notificationType, skip: "a false end" });
      expect(take(mine, 5_000, { agent: who, notificationType }).skip).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});
