import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { FoundFacts, RunningTask, TurnWork } from "../../src/core/facts.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { judge, type KnownEvent } from "../../src/pipeline/judge.ts";
import type { PostponeReason } from "../../src/pipeline/postpone.ts";
import { toRecentEvent } from "../../src/pipeline/recent-events.ts";
import { eventAt } from "../world/arriving-events.ts";

const later = (nativeEvent: string, afterMs: number, more: Partial<AgentEvent> = {}) =>
  eventAt(nativeEvent, afterMs, { agent: "copilot", ...more });
const makeWork = (more: Partial<TurnWork>): FoundFacts => ({ work: { requests: [], calls: [], running: [], ...more } });

/** Judges an event again, this many milliseconds after the event arrived. */
function again(
  event: AgentEvent,
  afterMs: number,
  facts: FoundFacts,
  others: readonly AgentEvent[] = [],
  postponedFor: PostponeReason = "background tasks are still running",
): KnownEvent {
  const session = [event, ...others].map((event) => toRecentEvent(event, {}));
  return judge(event, facts, { events: session, nowMs: event.atMs + afterMs, postponedFor });
}

/** Judges an event when it arrives, without earlier ones. */
const atOnce = (event: AgentEvent, facts: FoundFacts) => judge(event, facts, { events: [], nowMs: event.atMs });

const lasts = (what: string): [string, boolean] => [what, false];
const ends = (what: string): [string, boolean] => [what, true];
const isReported = ({ event, wait }: KnownEvent) => wait === undefined && event.skip === undefined;

describe("a failure that the agent may recover from", () => {
  const error = later("ErrorOccurred", 0, { extra: { error_context: "model_call" } });
  const { atMs } = error;

  test("is postponed from two seconds up to 15 s at a time, for a minute at most", () => {
    const first = atOnce(error, {});
    expect(first.wait?.untilMs).toBe(atMs + 2_000);
    expect(again(error, 2_000, {}).wait?.untilMs).toBe(atMs + 4_000);
    expect(again(error, 31_000, {}).wait?.untilMs).toBe(atMs + 46_000);
    expect(again(error, 46_000, {}).wait?.untilMs).toBe(atMs + 60_000);
    expect(isReported(again(error, 60_000, {}))).toBe(true);
  });

  test.each<[string, KnownEvent]>([
    ["the transcript calls the turn failed", again(error, 2_000, { turnOutcome: "failed" })],
    ["the session has ended", again(error, 4_000, {}, [later("SessionEnd", 500)])],
  ])("rings once %s", (_, judgement) => {
    expect(isReported(judgement)).toBe(true);
  });

  test.each<[string, KnownEvent]>([
    ["the turn ended", again(error, 2_000, {}, [later("Stop", 1_500)])],
    ["the user did, with another prompt", again(error, 60_000, {}, [later("UserPromptSubmit", 4_000)])],
    ["the agent answered", again(error, 60_000, makeWork({ saidAtMs: atMs + 9_000 }))],
  ])("does not ring if %s", (_, { event }) => {
    expect(event.skip).toContain("went on");
  });

  test("rings at once if the agent calls it final, or for another agent", () => {
    const final = { ...error, extra: { ...error.extra, recoverable: false } };
    expect([final, eventAt("StopFailure", 0)].map((event) => isReported(atOnce(event, {})))).toEqual([true, true]);
  });
});

describe("a request with an id", () => {
  const asks = (id: string, agent: string) =>
    eventAt("permission.asked", 0, { agent, event: "Notification", kind: "needs-you", extra: { tool_call_id: id } });
  const answers = (id: string, afterMs: number) =>
    eventAt("permission.replied", afterMs, {
      agent: "opencode",
      event: "Answer",
      kind: "info",
      extra: { tool_call_id: id },
    });

  test("is skipped if its answer has arrived already, whatever the agent", () => {
    for (const agent of ["opencode", "claude"]) {
      const { event } = again(asks("per_1", agent), 600, {}, [answers("per_1", 100)]);
      expect(event.skip).toBe("it was answered at once");
    }
  });

  test("rings if only another request was answered, and after half a second in OpenCode", () => {
    const request = asks("per_1", "opencode");
    expect(atOnce(request, {}).wait?.untilMs).toBe(request.atMs + 500);
    expect(isReported(again(request, 600, {}, [answers("per_2", 100)]))).toBe(true);
  });
});

describe("the end of a turn", () => {
  const stop = eventAt("Stop", 0);
  const { atMs } = stop;
  const shell: RunningTask = { id: "b1", of: "shell", name: "npm run build" };
  const agent: RunningTask = { id: "a1", of: "agent" };
  const running = (...tasks: RunningTask[]) =>
    makeWork({ running: tasks, startedAtMs: atMs - 9_000, saidAtMs: atMs - 9, hasSpoken: true });

  test("rings at once if nothing runs, or after a minute with the command that still runs", () => {
    expect(isReported(atOnce(stop, running()))).toBe(true);
    expect(atOnce(stop, running(shell)).wait?.untilMs).toBe(atMs + 2_000);
    const judged = again(stop, 60_000, running(shell));
    expect(isReported(judged)).toBe(true);
    expect(judged.facts.stillRuns).toBe("`npm run build`");
  });

  test("waits for a sub-agent half an hour at most, polled every 15 seconds", () => {
    expect(again(stop, 300_000, running(agent)).wait?.untilMs).toBe(atMs + 315_000);
    expect(again(stop, 29 * 60_000, running(agent)).wait).toBeDefined();
    expect(isReported(again(stop, 30 * 60_000, running(agent)))).toBe(true);
  });

  test("rings at once if it ends with a question, although a sub-agent runs", () => {
    const says = (lastMessage: string) => isReported(atOnce({ ...stop, lastMessage }, running(agent)));
    expect(says("It runs. Meanwhile: Postgres or SQLite?")).toBe(true);
    expect(says("Postgres or SQLite? The sub-agent measures both. I build with the one that it finds faster.")).toBe(
      false,
    );
  });

  test("waits for the next turn after background work has ended", () => {
    expect(again(stop, 8_000, running()).wait).toBeDefined();
    expect(again(stop, 8_000, running(), [eventAt("Stop", 7_000)]).event.skip).toBe("the session went on");
    const wentOn = makeWork({ startedAtMs: atMs + 5_000 });
    expect(again(stop, 8_000, wentOn).event.skip).toBe("the session went on");
  });

  test("waits for the next turn a minute after a long-running sub-agent ended", () => {
    const ended = [eventAt("SubagentStop", 300_000)];
    expect(again(stop, 310_000, running(), ended).wait?.untilMs).toBe(atMs + 325_000);
    expect(again(stop, 350_000, running(), ended).wait?.untilMs).toBe(atMs + 360_000);
    expect(isReported(again(stop, 360_000, running(), ended))).toBe(true);
  });

  test("rings when the session ends, but not before its last turn could", () => {
    const end = eventAt("SessionEnd", 1_000);
    expect(again(stop, 2_000, running(shell), [end]).wait).toBeDefined();
    expect(isReported(again(stop, 4_000, running(shell), [end]))).toBe(true);
  });

  test("names a task once that both the payload and the transcript list", () => {
    const extra = { background_tasks: [{ id: "a1", type: "subagent", status: "running" }] };
    const judged = judge({ ...stop, extra }, running({ ...agent, name: "Look around" }), {
      events: [],
      nowMs: atMs + 30 * 60_000,
    });
    expect(judged.facts.stillRuns).toBe("`Look around`");
  });

  test("waits for tasks in the payload, and for commands only of its own turn", () => {
    const waitFor = (type: string, facts: FoundFacts) => {
      const extra = { background_tasks: [{ id: "b0", type, status: "running", command: "npm run build" }] };
      return atOnce({ ...stop, extra }, facts).wait;
    };
    expect(waitFor("subagent", running())).toBeDefined();
    expect(waitFor("shell", {})).toBeDefined();
    expect(waitFor("shell", makeWork({ startedAtMs: atMs - 9_000 }))).toBeDefined(); // the transcript lacks the answer
    expect(waitFor("shell", running())).toBeUndefined();
  });

  test.each<[string, boolean]>([
    ...["npm run dev", "cd web && pnpm dev:web", "npx vite", "next dev -p 3001", "python3 -m http.server 8000"].map(
      lasts,
    ),
    ...["tail -f log/dev.log", "npx tsc --watch", "docker compose up", "node ./server.js", "make watch"].map(lasts),
    ...["npm run build", "sleep 20", "npm test", "vite build", "tail -5 log", "docker compose up -d"].map(ends),
    ...["npm run start-report", "make all", "rsync dev:server ."].map(ends),
  ])("waits for `%s`: %s", (name, isWaiting) => {
    const judged = atOnce(stop, running({ ...shell, name }));
    expect(judged.wait !== undefined).toBe(isWaiting);
    if (!isWaiting) expect(judged.facts.stillRuns).toBe(`\`${name}\``);
  });

  test.each<[string, boolean]>([
    ...["in_process_teammate", "teammate", "monitor", "file_watcher", "cron", "loop", "scheduled_task"].map(lasts),
    ...["subagent", "workflow", "remote_agent", "something new"].map(ends),
  ])("waits for a task of the type %s: %s", (type, isWaiting) => {
    const extra = { background_tasks: [{ id: "b0", type, status: "running", description: "look" }] };
    expect(atOnce({ ...stop, extra }, running()).wait !== undefined).toBe(isWaiting);
  });
});

describe("a Stop of an agent that also fires one for sub-agents", () => {
  const kimi = (nativeEvent: string, afterMs: number, more: Partial<AgentEvent> = {}) =>
    eventAt(nativeEvent, afterMs, { agent: "kimi", ...more });
  const stop = kimi("Stop", 0);
  const { atMs } = stop;
  const open = makeWork({ startedAtMs: atMs - 9_000 });
  const over: FoundFacts = { ...open, turnOutcome: "completed" };
  const called = makeWork({ ...open.work, calls: [{ id: "a", answeredAtMs: atMs + 400 }] });
  const calling: FoundFacts = { ...open, openCalls: ["a"] };
  const atLook = (facts: FoundFacts, ...others: AgentEvent[]) => look(3_000, facts, ...others);
  const look = (afterMs: number, facts: FoundFacts, ...others: AgentEvent[]) =>
    again(stop, afterMs, facts, others, "it may be the end of a sub-agent's turn");

  test("that reports a failed turn rings at once only if the session's own turn failed", () => {
    const failure = kimi("StopFailure", 0);
    expect(isReported(atOnce(failure, { ...open, turnOutcome: "failed" }))).toBe(true);
    expect(atOnce(failure, open).wait).toBeDefined();
    expect(again(failure, 2_000, over, [kimi("Stop", 900)]).event.skip).toContain("went on");
  });

  test("waits three seconds while the turn is unfinished, and rings at once if it is finished", () => {
    expect(atOnce(stop, open).wait?.untilMs).toBe(atMs + 3_000);
    expect(isReported(atOnce(stop, over))).toBe(true);
    expect(isReported(atOnce(stop, {}))).toBe(true);
  });

  const ended = kimi("SubagentStop", 200);
  test.each<[string, KnownEvent, string]>([
    ["a SubagentStop followed, and the turn goes on", atLook(called, ended), "a sub-agent's turn"],
    ["a SubagentStop followed, and a call is open", look(10_000, calling, ended), "a sub-agent's turn"],
    ["the turn's own Stop followed", atLook(over, ended, kimi("Stop", 2_500)), "went on"],
  ])("does not ring if %s", (_, { event }, reason) => {
    expect(event.skip).toContain(reason);
  });

  test("waits ten seconds for a transcript that has no line since, although a SubagentStop followed", () => {
    expect([open, calling].map((facts) => atLook(facts, ended).wait?.untilMs)).toEqual([atMs + 6_000, atMs + 6_000]);
  });

  test.each<[string, KnownEvent]>([
    ["the transcript was later than a SubagentStop", look(6_000, over, ended)],
    ["the transcript has no line ten seconds later", look(10_000, open, ended)],
    ["no SubagentStop followed: the transcript was late", atLook(open)],
    ["its own Stop was skipped as its repeat", atLook(over, ended, kimi("Stop", 900, { skip: "a repeat" }))],
  ])("rings if %s", (_, judgement) => {
    expect(isReported(judgement)).toBe(true);
  });
});

test("a sub-agent request that Qwen refuses on its own is silent, and an open one rings", () => {
  const request = eventAt("PermissionRequest", 0, { agent: "qwen", extra: { agent_id: "a" } });
  expect(atOnce(request, {}).wait?.untilMs).toBe(request.atMs + 2_000);
  expect(again(request, 2_000, {}, [eventAt("SubagentStop", 600, { agent: "qwen" })]).event.skip).toContain("ended");
  expect(isReported(again(request, 2_000, {}))).toBe(true);
  const ended = (agent_id: string) => [eventAt("SubagentStop", 600, { agent: "qwen", extra: { agent_id } })];
  expect(["a", "b"].map((id) => isReported(again(request, 2_000, {}, ended(id))))).toEqual([false, true]);
});

test("a request is named by the transcript's pending call if its sentence says nothing, whatever its type", () => {
  const push = { tool: "Bash", main: "git -C /home/dev/shop//etc push" };
  const facts = makeWork({ requests: [push, { tool: "Edit", path: "/home/dev/shop/src/tax.ts" }] });
  const notice = (agent: string, message: string | undefined) =>
    eventAt("Notification", 0, { agent, ...omitUndefined({ message }), cwd: "/home/dev/shop" });
  const judgeMessage = ([agent, message]: readonly [string, string?]) =>
    judge(notice(agent, message), facts, { events: [], nowMs: 0 }).event.message;
  const empty = [
    ["claude", "Claude needs your permission"],
    ["claude", "Claude needs your permission to use Web Search"],
    ["claude", "Claude Code needs your input"],
    ["claude", "Claude is waiting for your input"],
    ["claude", "Claude Code needs your approval for the plan"],
    ["claude"],
    ["qwen", "Qwen Code needs your permission to use run_shell_command"],
    ["droid", "Factory CLI needs permission to execute 2 tool(s)"],
    ["droid", "Factory CLI is asking the user 1 question(s)"],
    ["grok", "Tool permission requested"],
    ["copilot", "Information requested"],
  ] as const;
  const telling = [
    ["claude", "fix-login needs your input: which branch?"],
    ["claude", "Claude needs your permission to delete the branch"],
    ["claude", "Claude needs your input: which branch?"],
    ["claude", "The deploy needs your approval"],
    ["copilot", "Run command: touch a"],
  ] as const;
  const named = "Bash: git -C /home/dev/shop//etc push · Edit src/tax.ts";
  expect(empty.filter((row) => judgeMessage(row) !== named)).toEqual([]);
  expect(telling.filter((row) => judgeMessage(row) !== row[1])).toEqual([]);
});

const late: PostponeReason = "the transcript is late";

test("a permission rings half a second later unless Copilot has decided it on its own", () => {
  const request = later("notification", 0, { notificationType: "permission_prompt" });
  const decided = makeWork({ isDecided: true });
  expect(atOnce(request, decided).wait?.untilMs).toBe(request.atMs + 500); // decided before
  expect(again(request, 500, decided, [], late).event.skip).toContain("decided it on its own");
  const subAgentEnded = later("SubagentStop", 200);
  expect(isReported(again(request, 500, makeWork({}), [subAgentEnded], late))).toBe(true);
});

describe("a late transcript", () => {
  const grok = (nativeEvent: string, more: Partial<AgentEvent> = {}) =>
    eventAt(nativeEvent, 0, { agent: "grok", ...more });
  const question = grok("Notification", { notificationType: "elicitation_dialog", message: "User question requested" });

  test("delays a question by two seconds at most, which then rings without its text", () => {
    const asked = makeWork({ requests: [{ main: "Which colour?" }] });
    expect(atOnce(question, makeWork({})).wait?.untilMs).toBe(question.atMs + 2_000);
    expect(again(question, 2_000, asked, [], late).event.message).toBe("Which colour?");
    expect(isReported(again(question, 2_000, makeWork({}), [], late))).toBe(true);
    expect(isReported(atOnce(question, asked))).toBe(true);
  });

  const end = eventAt("Stop", 0, { agent: "qwen", lastMessage: "It runs." });
  const spoken = makeWork({ hasSpoken: true, saidAtMs: end.atMs });
  test("delays a turn's answer by ten seconds at most", () => {
    expect(atOnce(end, makeWork({})).wait?.untilMs).toBe(end.atMs + 2_000);
    const stale = makeWork({ hasSpoken: true, saidAtMs: end.atMs - 6_000 });
    expect(again(end, 8_000, stale, [], late).wait?.untilMs).toBe(end.atMs + 10_000);
    expect(isReported(again(end, 10_000, stale, [], late))).toBe(true);
    expect(isReported(atOnce(end, spoken))).toBe(true);
  });

  test("counts background work once the answer is there", () => {
    const running: FoundFacts = {
      work: { ...spoken.work, requests: [], calls: [], running: [{ id: "b", of: "shell" }] },
    };
    expect(again(end, 2_000, running, [], late).wait?.reason).toContain("still running");
  });

  test("delays nothing for an agent that writes in time, or without a transcript", () => {
    expect(isReported(atOnce({ ...end, agent: "claude" }, makeWork({})))).toBe(true);
    expect(isReported(atOnce(end, {}))).toBe(true);
  });
});
