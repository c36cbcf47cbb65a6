import { expect, test } from "vitest";
import { type Alert, alertSchema, type Concern, findAskedCalls } from "../../src/attention/alert.ts";
import { noteEvent } from "../../src/attention/note-event.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { FoundFacts, ToolCall } from "../../src/core/facts.ts";
import { eventAt } from "../world/arriving-events.ts";

const event = (id: string, atMs: number, changes: Partial<AgentEvent> = {}): AgentEvent =>
  eventAt("Notification", 0, { id, atMs, cwd: "/home/me/shop", message: id, ...changes });
const seen = (atMs: number) => event("seen", atMs, { event: "Seen", nativeEvent: "Seen", kind: "info" });

test.each(["needs-you", "failed", "finished"] as const)("a seen %s alert is resolved", (kind) => {
  const alert = noteEvent(undefined, event("a", 10, { kind }), {}, { nowMs: 10 });
  const [concern] = noteEvent(alert, seen(20), {}, { nowMs: 25 }).concerns;
  expect(concern).toMatchObject({ state: "resolved", resolvedBy: "seen", resolvedAtMs: 25 });
});

test("an alert keeps its terminal, and a damaged file yields no malformed terminal", () => {
  const alert = noteEvent(undefined, event("a", 10, { terminal: { TMUX_PANE: "%1" } }), {}, { nowMs: 10 });
  expect(noteEvent(alert, event("b", 20), {}, { nowMs: 20 }).terminal).toEqual({ TMUX_PANE: "%1" });
  const damaged = { ...alert, terminal: { TMUX_PANE: "%1;kill-server", WINDOWID: 7, DISPLAY: ":0" } };
  expect(alertSchema().parse(damaged).terminal).toEqual({ DISPLAY: ":0" });
});

test("a request asks for every call that it names, and for no call that it does not", () => {
  const calls = ["Bash", "mcp__tracker__create_issue", "Read"].map((tool, at) => ({ id: `${at}`, tool, atMs: 5 }));
  const facts: FoundFacts = { work: { requests: [], calls, running: [] } };
  const asked = event("a", 10, { message: "Bash: ls · tracker · create issue: project SHOP" });
  expect(findAskedCalls(asked, facts)).toEqual(["0", "1"]);
  expect(findAskedCalls(event("a", 10, { message: "wiki · create issue, Bash" }), facts)).toEqual(["0"]);
});

test("events after an alert was seen stay open, and the session's last event stays the same", () => {
  const alert = noteEvent(noteEvent(undefined, event("a", 10), {}, { nowMs: 10 }), event("b", 30), {}, { nowMs: 30 });
  const noted = noteEvent(alert, seen(20), {}, { nowMs: 40 });
  expect(noted.concerns.map(({ state }) => state)).toEqual(["resolved", "pending"]);
  expect(noted).toMatchObject({ lastAtMs: 30, lastEvent: "Notification" });
  expect(noteEvent(noted, seen(50), {}, { nowMs: 50 })).toMatchObject({ lastAtMs: 30, lastEvent: "Notification" });
});

test("an alert keeps all open requests, and resolved ones if they have a message or are among 20", () => {
  const raised = Array.from({ length: 25 }, (_, index) => event(`e${index}`, index));
  const all = raised.reduce(
    (alert, event) => noteEvent(alert, event, {}, { nowMs: event.atMs }),
    undefined as Alert | undefined,
  );
  expect(all?.concerns).toHaveLength(25);
  const [first, ...others] = all?.concerns ?? [];
  const messages = { mine: [{ group: "g", atMs: 1 }] };
  const isNewest = (id: string) => Number(id.slice(1)) >= 5;
  const alert = { ...(all as Alert), concerns: [{ ...(first as Concern), messages }, ...others] };
  const kept = noteEvent(alert, seen(99), {}, { nowMs: 99 }).concerns.map(({ id }) => id);
  expect(kept).toEqual(raised.map(({ id }) => id).filter((id) => id === "e0" || isNewest(id)));
});

const withCalls = (...calls: ToolCall[]): FoundFacts => ({ work: { requests: [], calls, running: [] } });
const asked = withCalls({ id: "c1", tool: "Bash", atMs: 5 });
const answered = withCalls({ id: "c1", tool: "Bash", atMs: 5, answeredAtMs: 15 });
const worked = withCalls({ id: "c2", tool: "Bash", atMs: 15_000 });
const prompt = { event: "Prompt", kind: "info" } as const;
const answer = { event: "Answer", kind: "info" } as const;
const stop = { event: "Stop", kind: "finished" } as const;
const sessionEnd = { event: "SessionEnd", kind: "info" } as const;
const subAgentEnd = { event: "SubagentStop", kind: "info" } as const;

test("prompts, ends and answered calls resolve only what they concern", () => {
  type Row = [AgentEvent["kind"], string, Partial<AgentEvent>, FoundFacts, string | undefined];
  const rows: Row[] = [
    ["needs-you", "a prompt", prompt, {}, "prompt"],
    ["finished", "a prompt", prompt, {}, "prompt"],
    ["failed", "a prompt", prompt, {}, "prompt"],
    ["needs-you", "a skipped prompt", { ...prompt, skip: "nobody typed it" }, {}, undefined],
    ["needs-you", "an answer to another request", { ...answer, extra: { tool_call_id: "c2" } }, {}, undefined],
    ["finished", "an answer to a request", { ...answer, extra: { tool_call_id: "c1" } }, {}, undefined],
    ["needs-you", "the end of the turn", stop, {}, "stop"],
    ["finished", "the end of a later turn", stop, {}, "later turn"],
    ["failed", "the end of a later turn", stop, {}, "later turn"],
    ["needs-you", "the end of the session", sessionEnd, {}, "session end"],
    ["finished", "the end of the session", sessionEnd, {}, undefined],
    ["failed", "the end of the session", sessionEnd, {}, undefined],
    ["needs-you", "another request", {}, asked, undefined],
    ["needs-you", "another request, without a transcript", {}, {}, undefined],
    ["needs-you", "another request, its own call being answered", {}, answered, "result"],
    ["needs-you", "a sub-agent's end, its own call being answered", subAgentEnd, answered, undefined],
    ["finished", "a request after more work", {}, worked, "went on"],
    ["finished", "a request without more work", {}, answered, undefined],
    ["finished", "a sub-agent's end after more work", subAgentEnd, worked, undefined],
    ["failed", "a request after more work", {}, worked, undefined],
  ];
  const resolvedBy = ([kind, , later, facts]: Row) => {
    const first = kind === "needs-you" ? { kind } : { kind, event: "Stop" };
    const alert = noteEvent(undefined, event("a", 10, first), asked, { nowMs: 10 });
    return noteEvent(alert, event("b", 20_000, later), facts, { nowMs: 20_000 }).concerns[0]?.resolvedBy;
  };
  const named = ([kind, by]: Row, how: string | undefined) => [kind, by, how];
  expect(rows.map((row) => named(row, resolvedBy(row)))).toEqual(rows.map((row) => named(row, row[4])));
});

test("of two simultaneous events the later is the session's last, and long texts are cut", () => {
  const alert = noteEvent(undefined, event("a", 10, { message: "m".repeat(5_000) }), {}, { nowMs: 10 });
  expect(alert.concerns[0]?.event.message).toHaveLength(4_000);
  expect(noteEvent(alert, event("b", 10, stop), {}, { nowMs: 10 }).lastEvent).toBe("Stop");
});
