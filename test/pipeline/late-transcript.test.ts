import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { FoundFacts, TurnWork } from "../../src/core/facts.ts";
import { type Judgement, judge } from "../../src/pipeline/judge.ts";
import { toRecentEvent } from "../../src/pipeline/recent-events.ts";
import { eventAt } from "../world/arriving-events.ts";

const copilot = (nativeEvent: string, afterMs: number, more: Partial<AgentEvent> = {}) =>
  eventAt(nativeEvent, afterMs, { agent: "copilot", ...more });
const foundWork = (more: Partial<TurnWork>): FoundFacts => ({
  work: { requests: [], calls: [], running: [], ...more },
});
const rings = ({ event, wait }: Judgement) => wait === undefined && event.skip === undefined;

function judgeAgain(event: AgentEvent, afterMs: number, facts: FoundFacts, others: readonly AgentEvent[] = []) {
  const session = [event, ...others].map((each) => toRecentEvent(each, {}));
  return judge(event, facts, { events: session, nowMs: event.atMs + afterMs, postponedFor: "the transcript is late" });
}

test("a permission rings half a second later unless Copilot has decided it on its own", () => {
  const request = copilot("notification", 0, { notificationType: "permission_prompt" });
  const decided = foundWork({ isDecided: true });
  expect(judge(request, decided, { events: [], nowMs: request.atMs }).wait?.untilMs).toBe(request.atMs + 500); // decided before
  expect(judgeAgain(request, 500, decided).event.skip).toContain("decided it on its own");
  const subAgentEnded = copilot("SubagentStop", 200);
  expect(rings(judgeAgain(request, 500, foundWork({}), [subAgentEnded]))).toBe(true);
});

describe("a late transcript", () => {
  const grok = (nativeEvent: string, more: Partial<AgentEvent> = {}) =>
    eventAt(nativeEvent, 0, { agent: "grok", ...more });
  const question = grok("Notification", { notificationType: "elicitation_dialog", message: "User question requested" });

  test("delays a question by two seconds at most, which then rings without its text", () => {
    const asked = foundWork({ requests: ["Which colour?"] });
    expect(judge(question, foundWork({}), { events: [], nowMs: question.atMs }).wait?.untilMs).toBe(
      question.atMs + 2_000,
    );
    expect(judgeAgain(question, 2_000, asked).event.message).toBe("Which colour?");
    expect(rings(judgeAgain(question, 2_000, foundWork({})))).toBe(true);
    expect(rings(judge(question, asked, { events: [], nowMs: question.atMs }))).toBe(true);
  });

  const end = eventAt("Stop", 0, { agent: "qwen", lastMessage: "It runs." });
  const spoken = foundWork({ hasSpoken: true, saidAtMs: end.atMs });
  test("delays a turn's answer by ten seconds at most", () => {
    expect(judge(end, foundWork({}), { events: [], nowMs: end.atMs }).wait?.untilMs).toBe(end.atMs + 2_000);
    const stale = foundWork({ hasSpoken: true, saidAtMs: end.atMs - 6_000 });
    expect(judgeAgain(end, 8_000, stale).wait?.untilMs).toBe(end.atMs + 10_000);
    expect(rings(judgeAgain(end, 10_000, stale))).toBe(true);
    expect(rings(judge(end, spoken, { events: [], nowMs: end.atMs }))).toBe(true);
  });

  test("counts background work once the answer is there", () => {
    const running: FoundFacts = {
      work: { ...spoken.work, requests: [], calls: [], running: [{ id: "b", of: "shell" }] },
    };
    expect(judgeAgain(end, 2_000, running).wait?.reason).toContain("still running");
  });

  test("delays nothing for an agent that writes in time, or without a transcript", () => {
    expect(rings(judge({ ...end, agent: "claude" }, foundWork({}), { events: [], nowMs: end.atMs }))).toBe(true);
    expect(rings(judge(end, {}, { events: [], nowMs: end.atMs }))).toBe(true);
  });
});
