import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { FoundFacts, TurnWork } from "../../src/core/facts.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { classify, explainClosing, judge, skipByFacts } from "../../src/pipeline/judge.ts";
import { type RecentEvent, RecentEvents, toRecentEvent } from "../../src/pipeline/recent-events.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { arrive, eventAt } from "../world/arriving-events.ts";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";
import { ClaudeTranscript } from "../world/transcript.ts";

describe("classify", () => {
  const stop = eventAt("Stop", 0, { agent: "droid" });
  const startMs = stop.atMs;
  const of = (event: string, kind: AgentEvent["kind"]): AgentEvent => ({ ...stop, event, nativeEvent: event, kind });

  test.each<[string, AgentEvent, FoundFacts, Partial<AgentEvent>]>([
    ["a Stop without facts is finished", stop, {}, { kind: "finished" }],
    ["a Stop of a completed turn is finished", stop, { turnOutcome: "completed" }, { kind: "finished" }],
    ["a Stop of a failed turn failed", stop, { turnOutcome: "failed" }, { kind: "failed" }],
    ["a Stop known as a failure stays one", of("Stop", "failed"), { turnOutcome: "completed" }, { kind: "failed" }],
    ["a notice keeps its kind", of("Notification", "needs-you"), { turnOutcome: "failed" }, { kind: "needs-you" }],
  ])("%s", (_, event, facts, expected) => {
    const classified = skipByFacts(classify(event, facts, []), facts);
    expect(classified).toMatchObject(expected);
    expect(classified).not.toHaveProperty("skip");
  });

  const ofSubagent: FoundFacts = { callingSessionId: "parent" };
  test.each<[string, AgentEvent, FoundFacts, string | undefined]>([
    ["a Stop of a sub-agent's session", stop, ofSubagent, "the end of a sub-agent's own session"],
    ["an end of a sub-agent's session", of("SessionEnd", "failed"), ofSubagent, "the end of a sub-agent's own session"],
    ["a sub-agent that needs the user", of("Notification", "needs-you"), ofSubagent, undefined],
    ["an event with an earlier reason", { ...stop, skip: "first" }, ofSubagent, "first"],
    ["a turn that the user interrupted", stop, { turnOutcome: "interrupted" }, "the user interrupted the turn"],
    ["the session's end after it", of("SessionEnd", "failed"), { turnOutcome: "interrupted" }, undefined],
  ])("the facts give the expected reason to skip %s", (_, event, facts, reason) => {
    expect(skipByFacts(event, facts).skip).toBe(reason);
  });

  const end = (afterMs: number, more: Partial<AgentEvent> = {}) =>
    eventAt("SessionEnd", afterMs, { reason: "other", ...more });
  const stopped = toRecentEvent(eventAt("Stop", 0), {});
  const work = (more: Partial<TurnWork> = {}): TurnWork => ({
    startedAtMs: startMs,
    requests: [],
    calls: [],
    running: [],
    ...more,
  });

  describe("a session's end for reason `other`", () => {
    test.each<[string, readonly RecentEvent[], number, FoundFacts, string]>([
      ["without a Stop before it is a failure", [], 0, {}, "failed"],
      ["just after a Stop ends a headless run", [stopped], 0, {}, "info"],
      ["29.9 s after a Stop ends a headless run", [stopped], 29_900, {}, "info"],
      ["after a skipped Stop ends a headless run", [{ ...stopped, skipped: true }], 1, {}, "info"],
      ["30 s after a Stop is a failure", [stopped], 30_000, {}, "failed"],
      ["after a completed turn is ordinary", [], 99_000, { turnOutcome: "completed" }, "info"],
      ["after a turn that the user interrupted is ordinary", [], 99_000, { turnOutcome: "interrupted" }, "info"],
      ["of an empty session is ignored", [], 0, { messageCount: 0, work: work() }, "info"],
      ["of an empty headless run is failed", [], 0, { messageCount: 0, work: work({ origin: "program" }) }, "failed"],
    ])("%s", (_, earlier, afterMs, facts, kind) => {
      expect(classify(end(afterMs), facts, earlier).kind).toBe(kind);
    });

    test("is ordinary if the agent gives no other reason", () => {
      const kinds = ["codex", "droid"].map((agent) => classify(end(0, { agent }), {}, []).kind);
      expect(kinds).toEqual(["info", "failed"]);
    });
  });

  describe("a session's end after a turn that failed", () => {
    const facts: FoundFacts = { turnOutcome: "failed", lastMessage: "400 too long", work: work() };
    const codexEnd = (afterMs: number) => end(afterMs, { agent: "codex" });

    test("is reported if the failure was not", () => {
      expect(classify(codexEnd(2_000), facts, [])).toMatchObject({ kind: "failed", message: "400 too long" });
    });

    test("is not reported if the turn's end was, or after a long time", () => {
      expect(classify(codexEnd(2_000), facts, [stopped]).kind).toBe("info");
      expect(classify(codexEnd(91_000), facts, []).kind).toBe("info");
    });

    test("is reported however long ago the prompt was", () => {
      const givenUp: FoundFacts = {
        turnOutcome: "failed",
        work: work({ startedAtMs: end(0).atMs - 300_000, saidAtMs: end(0).atMs }),
      };
      expect(classify(end(0, { agent: "gemini", reason: "exit" }), givenUp, [])).toMatchObject({
        kind: "failed",
        message: expect.stringContaining("gave no answer"),
      });
    });
  });

  test("a session's end for any other reason keeps its kind", () => {
    expect(classify(eventAt("SessionEnd", 0, { reason: "exit" }), {}, []).kind).toBe("info");
    expect(classify(eventAt("SessionEnd", 0, { reason: "error", kind: "failed" }), {}, []).kind).toBe("failed");
  });
});

describe("deduplicate", () => {
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

  test("a request for the same calls is known only if both ask for permission", () => {
    const types = ["permission_prompt", "worker_permission_prompt", "agent_needs_input", "quota_auto_resume_disabled"];
    const asks = (notificationType: string, at: number) =>
      arrive(recent, eventAt("Notification", at * 5_000, { notificationType }), { openCalls: ["a"] }).skip;
    expect(types.map(asks)).toEqual([undefined, "the same request under another name", undefined, undefined]);
  });

  describe("an echo", () => {
    test("Copilot's error rings once for all attempts at a call, at the measured times", () => {
      const skipped = [0, 650, 1_800, 4_200, 8_700, 16_500].map((afterMs) =>
        isSkipped("ErrorOccurred", afterMs, { agent: "copilot" }),
      );
      expect(skipped).toEqual([false, true, true, true, true, true]);
      take("UserPromptSubmit", 16_600, { agent: "copilot" });
      expect(isSkipped("ErrorOccurred", 16_700, { agent: "copilot" })).toBe(false);
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
      const skipped = [0, 10, 20].map((afterMs) =>
        isSkipped("SessionEnd", afterMs, { agent: "gemini", reason: "exit" }),
      );
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
});

describe("prompt author", () => {
  const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
  const human = { origin: { kind: "human" }, promptSource: "typed" };
  const system = { origin: { kind: "task-notification" }, promptSource: "system" };

  let world: AttentionWorld;
  let transcript: ClaudeTranscript;
  beforeEach(async () => {
    world = new AttentionWorld();
    await world.start({ routes: [{ to: ["desk"] }] });
    transcript = new ClaudeTranscript(world);
    transcript.user("go", { promptId: "p0", ...human });
  });

  /** Plays a request at second 0, and a prompt in the request's session one second later. */
  async function promptAfterRequest(prompt: string): Promise<void> {
    world.fire(shop, "Notification", { notification_type: "permission_prompt", message: "may I?", ...files() });
    await world.workUntil(startMs + 1_000);
    world.fire(shop, "UserPromptSubmit", { prompt, prompt_id: "p1", ...files() });
  }
  const files = () => ({ transcript_path: transcript.path });

  /** Growth of the transcript delays the next ring by ten seconds. */
  const rings = () => world.calls.map(({ atMs, verb }) => `${(atMs - startMs) / 1000} ${verb}`);

  test.each([
    ["a user typed", "check the deploy", human, []],
    ["a program wrote", "check the deploy", system, ["11.6 ring"]],
    ["a user typed although it begins like a program's", "<agent-message>", human, []],
    ["is marked as a program's", "check the deploy", { isMeta: true }, ["11.6 ring"]],
  ])("a request waits for the transcript line of a prompt that %s", async (_, prompt, author, calls) => {
    await promptAfterRequest(prompt);
    await world.workUntil(startMs + 1_600);
    transcript.user(prompt, { promptId: "p1", ...author });
    await world.workUntil(startMs + 20_000);
    expect(rings()).toEqual(calls);
  });

  test("a prompt without a line ends the request after two seconds unless it looks generated", async () => {
    await promptAfterRequest("check the deploy");
    await world.workUntil(startMs + 20_000);
    expect(rings()).toEqual([]);
    world.fire(shop, "Notification", { notification_type: "permission_prompt", message: "and now?", ...files() });
    await world.workUntil(startMs + 21_000);
    world.fire(shop, "UserPromptSubmit", { prompt: "<agent-message>hi", prompt_id: "p2", ...files() });
    await world.workUntil(startMs + 40_000);
    expect(rings()).toEqual(["22 ring"]);
  });

  test("the transcript may first have a line that the program added to the prompt", async () => {
    await promptAfterRequest("look at this");
    transcript.user("[Image: source: /tmp/a.png]", { promptId: "p1", isMeta: true });
    transcript.user("look at this", { promptId: "p1", ...human });
    await world.workUntil(startMs + 20_000);
    expect(rings()).toEqual([]);
  });

  const padding = () => transcript.write({ type: "api-request-shape", padding: "x".repeat(45_000) });

  test.each([
    ["far before lines that the program added to it", human, []],
    ["far before, by a program", { isMeta: true }, ["2 ring"]],
  ])("the line of a prompt is found %s", async (_, author, calls) => {
    await promptAfterRequest("look at this");
    transcript.user("look at this", { promptId: "p1", ...author });
    for (let line = 0; line < 4; line += 1) padding();
    transcript.user("Stop hook feedback: go on", { promptId: "p1", isMeta: true });
    await world.workUntil(startMs + 20_000);
    expect(rings()).toEqual(calls);
  });

  test("lines that the program added prove nothing if the prompt's own line is out of reach", async () => {
    await promptAfterRequest("look at this");
    for (let line = 0; line < 100; line += 1) padding();
    transcript.user("Stop hook feedback: go on", { promptId: "p1", isMeta: true });
    await world.workUntil(startMs + 20_000);
    expect(rings()).toEqual([]);
  });

  test("a key pressed at the terminal just before marks the prompt as the user's", async () => {
    world.fire(shop, "Notification", { notification_type: "permission_prompt", message: "may I?" });
    await world.workUntil(startMs + 5_000);
    world.typed.set(shop.pid, world.nowMs - 3_000);
    world.fire(shop, "UserPromptSubmit", { prompt: "<agent-message> what is that?" });
    await world.workUntil(startMs + 6_000);
    expect(rings()).toEqual(["2 ring", "5 withdraw"]);
  });
});

describe("the end of a session whose terminal was closed", () => {
  const minute = 60_000;
  const end = eventAt("SessionEnd", 0, { kind: "failed", reason: "other", sessionId: "s-1", atMs: startMs });
  const request = concern("a", { atMs: startMs - 10 * minute });
  /** Numbers of a pseudo-terminal that exists nowhere, and of a terminal of the console. */
  const [closed, console] = [(143 << 8) | 255, (4 << 8) | 1];
  const explain = (alert: Parameters<typeof makeAlert>[0], event = end) => {
    const alerts = { get: () => makeAlert({ terminalDevice: closed, concerns: [request], ...alert }) };
    return explainClosing(event, { alerts } as unknown as Parameters<typeof explainClosing>[1]);
  };
  const message = "The terminal was closed while it waited for you.";

  test("is named, and stays a failure if nobody was there", () => {
    expect(explain({})).toMatchObject({ kind: "failed", message });
    expect(explain({ promptedAtMs: startMs - 2 * minute })).toMatchObject({ kind: "failed", message });
  });

  test("needs no message if a key was pressed there within a minute before", () => {
    expect(explain({ promptedAtMs: startMs - minute })).toMatchObject({ kind: "info", message });
    const typed = { ...request, state: "acknowledged" as const, acknowledgedAtMs: startMs - 5_000 };
    expect(explain({ concerns: [typed] })).toMatchObject({ kind: "info", message });
  });

  test.each([
    ["the terminal is there", { terminalDevice: console }, end],
    ["the terminal is unknown", { terminalDevice: undefined }, end],
    ["nothing was open", { concerns: [{ ...request, state: "resolved" as const }] }, end],
    ["only a turn's end was open", { concerns: [{ ...request, kind: "finished" as const }] }, end],
    ["the end has a reason of its own", {}, { ...end, message: "Reached max turns (1)" }],
    ["the end is an ordinary one", {}, { ...end, kind: "info" as const }],
  ])("is not named if %s", (_, alert, event) => {
    expect(explain(alert, event)).toBe(event);
  });
});
