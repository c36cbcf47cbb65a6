import { describe, expect, test } from "vitest";
import { type Step, turnFacts } from "../../../src/agents/transcripts/turn.ts";

const prompt: Step = { kind: "prompt", at: 1_000 };
const call = (id: string): Step => ({ kind: "call", id, tool: "Bash", input: { command: `touch ${id}` } });
const result = (id: string): Step => ({ kind: "result", id, at: 3_000 });
const refused = (id: string): Step => ({ kind: "result", id, isRefused: true, at: 3_000 });
const answer = (at: number, text = "All right."): Step => ({ kind: "answer", at, text });
const completed: Step = { kind: "end", outcome: "completed" };
const shell: Step = { kind: "task", id: "b1", of: "shell", call: "a" };

describe("a turn whose tool the user refused", () => {
  test.each<[string, readonly Step[], string | undefined]>([
    ["is interrupted", [refused("a")], "interrupted"],
    ["is interrupted whatever the agent writes at its end", [refused("a"), completed], "interrupted"],
    ["is interrupted if the agent only acknowledges it", [refused("a"), answer(4_000), completed], "interrupted"],
    ["goes on with another tool", [refused("a"), call("b"), result("b"), answer(4_000), completed], "completed"],
    ["goes on if the agent took its time to answer", [refused("a"), answer(60_000), completed], "completed"],
    ["may fail all the same", [refused("a"), { kind: "end", outcome: "failed" }], "failed"],
  ])("%s", (_, steps, outcome) => {
    expect(turnFacts([prompt, call("a"), ...steps], true).turnOutcome).toBe(outcome);
  });
});

test("calls without a result are what waits for the user, those of earlier turns are not", () => {
  const { openCalls, work } = turnFacts([prompt, call("x"), prompt, call("a"), call("b"), result("a")], true);
  expect(openCalls).toEqual(["b"]);
  expect(work.requests).toEqual(["Bash: touch b"]);
});

test("what a turn started in the background runs until it ends; what earlier turns started does not count", () => {
  const running = (...steps: Step[]) => turnFacts([prompt, call("a"), shell, result("a"), ...steps], true).work.running;
  expect(running()).toEqual([{ id: "b1", of: "shell", name: "touch a" }]);
  expect(running({ kind: "task-end", id: "b1" })).toEqual([]);
  expect(running(prompt)).toEqual([]);
});

test("a prompt without any reply is unanswered, a tool call is a reply", () => {
  expect(turnFacts([prompt], true).work.isUnanswered).toBe(true);
  expect(turnFacts([prompt, call("a")], true).work).not.toHaveProperty("isUnanswered");
  expect(turnFacts([], true).work).not.toHaveProperty("isUnanswered");
});

test("what a failed turn says is words, without the JSON they came in", () => {
  const complaint = '[API Error: {"error":{"message":"{\\"error\\":{\\"message\\":\\"too long\\"}}","code":400}}]';
  const failed: Step = { kind: "complaint", at: 2_000, text: complaint };
  expect(turnFacts([prompt, failed], true).lastMessage).toBe("API Error: too long");
  expect(turnFacts([prompt, answer(2_000, complaint)], true).lastMessage).toBe(complaint);
});
