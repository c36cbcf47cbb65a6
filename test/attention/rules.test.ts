import { expect, test } from "vitest";
import { type AttentionRules, applyRules, type Situation } from "../../src/attention/rules.ts";

const rules: AttentionRules = {
  wait: 2_000,
  watching: { finished: "skip", "needs-you": 30_000, failed: "ring" },
  minTurn: 0,
  away: 180_000,
  dnd: "respect",
};
const now = 1_000_000;
/** A request five seconds ago, without knowledge of the user. */
const request: Situation = {
  rules,
  kind: "needs-you",
  atMs: now - 5_000,
  isUnattended: false,
  concern: { state: "pending" },
  audience: "person",
  isAudible: false,
  afterMs: 0,
  hasWaited: false,
  wasPostponed: false,
  presence: {},
  nowMs: now,
};
const acknowledged: Partial<Situation> = { concern: { state: "acknowledged", acknowledgedAtMs: now - 4_000 } };
const focused = { isFocused: true, idleMs: 1_000 };

/** Decision: `tell`, `skip` or `hold +seconds`. */
function decision(changes: Partial<Situation>): string {
  const attention = applyRules({ ...request, ...changes });
  return attention.act === "hold" ? `hold ${(attention.untilMs - now) / 1_000}` : attention.act;
}

/** Checks a table of situations, each with its decision. */
function expectDecisions(
  table: readonly (readonly [name: string, changes: Partial<Situation>, expected: string])[],
): void {
  const found = table.map(([name, changes]) => [name, decision(changes)]);
  expect(found).toEqual(table.map(([name, , expected]) => [name, expected]));
}

test("unknown facts lead to a notification", () => {
  expectDecisions([
    ["a request", {}, "tell"],
    ["a finish", { kind: "finished" }, "tell"],
    ["a failure", { kind: "failed" }, "tell"],
    ["a concern that is forgotten", { concern: undefined }, "tell"],
    ["where the person has to be away", { when: "away" }, "tell"],
    ["a concern not heard of for a day", { concern: { state: "resolved", resolvedBy: "forgotten" } }, "tell"],
    ["a sound, with no word on do-not-disturb", { isAudible: true }, "tell"],
    ["a turn of unknown length", { kind: "finished", rules: { ...rules, minTurn: 60_000 } }, "tell"],
  ]);
});

test("a message to you waits first, one to a team or from a run without a terminal does not", () => {
  expectDecisions([
    ["waits at first", { atMs: now - 500 }, "hold 1.5"],
    ["whose first wait was cut short does not wait again", { atMs: now - 500, hasWaited: true }, "tell"],
    ["of a run without a terminal does not wait", { atMs: now, isUnattended: true }, "tell"],
    ["for a team does not wait", { atMs: now, audience: "team" }, "tell"],
    ["of what is over is left out", { concern: { state: "resolved", resolvedBy: "prompt" } }, "skip"],
    ["of what is over is left out for a program, too", { concern: { state: "resolved" }, audience: "machine" }, "skip"],
    ["of a later step waits for its time", { afterMs: 300_000 }, "hold 295"],
    ["of a later step comes at its time", { afterMs: 5_000 }, "tell"],
    ["waits for the end of a silence", { silence: { untilMs: now + 60_000, reason: "snoozed" } }, "hold 60"],
    ["to a program is not silenced", { silence: { untilMs: now + 60_000, reason: "" }, audience: "machine" }, "tell"],
    ["of a short turn is left out", { kind: "finished", turnMs: 9_000, rules: { ...rules, minTurn: 10_000 } }, "skip"],
    ["of a long turn is told", { kind: "finished", turnMs: 10_000, rules: { ...rules, minTurn: 10_000 } }, "tell"],
    ["that needs the person is told after any turn", { turnMs: 1, rules: { ...rules, minTurn: 10_000 } }, "tell"],
  ]);
});

test("looking at the agent's terminal suppresses a finish, delays a request and lets failures ring", () => {
  expectDecisions([
    ["is not told of a finish", { kind: "finished", presence: focused }, "skip"],
    ["is told of a request later", { presence: focused }, "hold 25"],
    ["is told of it then, although still there", { presence: focused, atMs: now - 30_000 }, "tell"],
    ["is told of a failure", { kind: "failed", presence: focused }, "tell"],
    ["who typed 15 s before the event is there", { kind: "finished", presence: { typedAtMs: now - 20_000 } }, "skip"],
    ["who typed before that is not", { kind: "finished", presence: { typedAtMs: now - 20_001 } }, "tell"],
    ["of a locked screen is not there", { kind: "finished", presence: { ...focused, isLocked: true } }, "tell"],
    ["of an untouched screen is not there", { kind: "finished", presence: { ...focused, idleMs: 60_001 } }, "tell"],
    ["is reminded all the same", { presence: focused, afterMs: 5_000 }, "tell"],
    ["who has typed since is given ten seconds, once", acknowledged, "hold 6"],
    ["who was given them is told", { ...acknowledged, wasPostponed: true }, "tell"],
  ]);
});

test("an escalation step for present or absent users waits for that state", () => {
  const here = { idleMs: 179_999 };
  const away = { idleMs: 180_000 };
  expectDecisions([
    ["away, for away", { when: "away", presence: away }, "tell"],
    ["locked, for away", { when: "away", presence: { ...here, isLocked: true } }, "tell"],
    ["here, for away: asked again", { when: "away", presence: here }, "hold 5"],
    ["here, for away: a failure is asked again", { when: "away", presence: here, kind: "failed" }, "hold 5"],
    ["here, for away: a finish is left out", { when: "away", presence: here, kind: "finished" }, "skip"],
    ["here for a day: no longer asked", { when: "away", presence: here, atMs: now - 86_400_001 }, "skip"],
    ["here, for here", { when: "here", presence: here }, "tell"],
    ["away, for here", { when: "here", presence: away }, "hold 5"],
    ["here, for a team that is told while you are away", { when: "away", presence: here, audience: "team" }, "hold 5"],
    ["typing is being here", { when: "away", presence: { idleMs: 999_999, typedAtMs: now - 60_000 } }, "hold 5"],
  ]);
});

test("do-not-disturb silences sounds only", () => {
  const presence = { isDoNotDisturb: true };
  expect(decision({ presence, isAudible: true })).toBe("skip");
  expect(decision({ presence, isAudible: true, rules: { ...rules, dnd: "ignore" } })).toBe("tell");
  expect(decision({ presence })).toBe("tell");
});
