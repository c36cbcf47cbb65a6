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
/** Situation: a request came five seconds ago, and nothing is known about the user. */
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

/** Returns the decision as `tell`, `skip` or `hold +seconds`. */
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
    ["a forgotten concern", { concern: undefined }, "tell"],
    ["a message for absent users", { when: "away" }, "tell"],
    ["a concern without events for a day", { concern: { state: "resolved", resolvedBy: "forgotten" } }, "tell"],
    ["a sound, with do-not-disturb unknown", { isAudible: true }, "tell"],
    ["a turn of unknown length", { kind: "finished", rules: { ...rules, minTurn: 60_000 } }, "tell"],
  ]);
});

test("someone was typing only if a key was pressed", () => {
  const reason = (typedAtMs?: number) => {
    const attention = applyRules({
      ...request,
      ...acknowledged,
      rules: { ...rules, watching: { ...rules.watching, "needs-you": "ring" } },
      presence: typedAtMs === undefined ? {} : { typedAtMs },
    });
    return "reason" in attention ? attention.reason : undefined;
  };
  expect(reason(now - 4_000)).toBe("someone was typing in that terminal");
  // A key before the request is none of its signs.
  for (const typedAtMs of [undefined, now - 60_000]) expect(reason(typedAtMs)).toBe("someone may be answering");
});

test("a message to you waits first, one to a team or from a run without a terminal does not", () => {
  expectDecisions([
    ["waits first", { atMs: now - 500 }, "hold 1.5"],
    ["whose first wait was cut short does not wait again", { atMs: now - 500, hasWaited: true }, "tell"],
    ["of a run without a terminal does not wait", { atMs: now, isUnattended: true }, "tell"],
    ["for a team does not wait", { atMs: now, audience: "team" }, "tell"],
    ["about a resolved concern is skipped", { concern: { state: "resolved", resolvedBy: "prompt" } }, "skip"],
    [
      "about a resolved one is skipped for a program, too",
      { concern: { state: "resolved" }, audience: "machine" },
      "skip",
    ],
    ["about a later step waits for its time", { afterMs: 300_000 }, "hold 295"],
    ["about a later step is sent at its time", { afterMs: 5_000 }, "tell"],
    ["waits for the end of a snooze", { silence: { untilMs: now + 60_000, reason: "snoozed" } }, "hold 60"],
    ["to a program is not snoozed", { silence: { untilMs: now + 60_000, reason: "" }, audience: "machine" }, "tell"],
    ["of a short turn is skipped", { kind: "finished", turnMs: 9_000, rules: { ...rules, minTurn: 10_000 } }, "skip"],
    ["about a long turn is sent", { kind: "finished", turnMs: 10_000, rules: { ...rules, minTurn: 10_000 } }, "tell"],
    ["that needs the user is sent after any turn", { turnMs: 1, rules: { ...rules, minTurn: 10_000 } }, "tell"],
  ]);
});

test("looking at the agent's terminal skips a finish, delays a request and lets a failure ring", () => {
  expectDecisions([
    ["skips a finish", { kind: "finished", presence: focused }, "skip"],
    ["delays a request", { presence: focused }, "hold 25"],
    ["sends the delayed request, still present or not", { presence: focused, atMs: now - 30_000 }, "tell"],
    ["sends a failure", { kind: "failed", presence: focused }, "tell"],
    ["means typing up to 15 s before the event", { kind: "finished", presence: { typedAtMs: now - 20_000 } }, "skip"],
    ["does not mean earlier typing", { kind: "finished", presence: { typedAtMs: now - 20_001 } }, "tell"],
    ["does not count with a locked screen", { kind: "finished", presence: { ...focused, isLocked: true } }, "tell"],
    ["does not count with an idle screen", { kind: "finished", presence: { ...focused, idleMs: 60_001 } }, "tell"],
    ["sends reminders", { presence: focused, afterMs: 5_000 }, "tell"],
    ["and typing since delays by ten seconds, once", acknowledged, "hold 6"],
    ["and typing delays only once", { ...acknowledged, wasPostponed: true }, "tell"],
  ]);
});

test("an escalation step for present or absent users waits for that state", () => {
  const here = { idleMs: 179_999 };
  const away = { idleMs: 180_000 };
  expectDecisions([
    ["away, for away", { when: "away", presence: away }, "tell"],
    ["locked, for away", { when: "away", presence: { ...here, isLocked: true } }, "tell"],
    ["here, for away: checked again", { when: "away", presence: here }, "hold 5"],
    ["here, for away: a failure is checked again", { when: "away", presence: here, kind: "failed" }, "hold 5"],
    ["here, for away: a finish is skipped", { when: "away", presence: here, kind: "finished" }, "skip"],
    ["here for a day: no longer checked", { when: "away", presence: here, atMs: now - 86_400_001 }, "skip"],
    ["here, for here", { when: "here", presence: here }, "tell"],
    ["away, for here", { when: "here", presence: away }, "hold 5"],
    ["here, for a team notified while you are away", { when: "away", presence: here, audience: "team" }, "hold 5"],
    ["typing is being here", { when: "away", presence: { idleMs: 999_999, typedAtMs: now - 60_000 } }, "hold 5"],
  ]);
});

test("do-not-disturb silences sounds only", () => {
  const presence = { isDoNotDisturb: true };
  expect(decision({ presence, isAudible: true })).toBe("skip");
  expect(decision({ presence, isAudible: true, rules: { ...rules, dnd: "ignore" } })).toBe("tell");
  expect(decision({ presence })).toBe("tell");
});
