import { describe, expect, test } from "vitest";
import { collectFailures } from "../world/collect-failures.ts";
import { claude } from "./agents/claude.ts";
import { droid } from "./agents/droid.ts";
import { gemini } from "./agents/gemini.ts";
import type { Expectation } from "./expected.ts";
import type { Played } from "./play-result.ts";
import type { Call } from "./session.ts";
import { judge, type Runs } from "./verdict.ts";

const asked: Call = { kind: "needs-you", title: "shop needs you", body: "Bash: touch a" };
const done: Call = { kind: "finished", title: "shop: done", body: "The command ran." };
const rings: Expectation["calls"][number] = { kind: "needs-you", holds: "touch a" };
const wanted: Expectation = { calls: [rings, { kind: "finished", holds: "The command ran." }] };
const reason = "known for a reason";

function played(part: Partial<Played>): Played {
  return { calls: [asked, done], troubles: [], screens: {}, printed: [], modelLines: [], seconds: 1, ...part };
}

function readOutcome(expectation: Expectation, run: Partial<Played>, bare: Partial<Played> = {}) {
  return judge(claude, expectation, { withHooks: [played(run)], bare: [played(bare)] });
}

describe("a scenario", () => {
  test("is ok when everything rang in order, with the expected text", () => {
    expect(readOutcome(wanted, {})).toMatchObject({ outcome: "ok", expected: "N D", got: "N D", differences: [] });
  });

  const faults: readonly (readonly [what: string, run: Partial<Played>, difference: string])[] = [
    ["a call is missing", { calls: [asked] }, "rang N instead of N D"],
    ["nothing rang", { calls: [] }, "rang – instead of N D"],
    ["a call came twice", { calls: [asked, done, done] }, "rang N D D instead of N D"],
    ["the order is another", { calls: [done, asked] }, "rang D N instead of N D"],
    ["a text lacks the expected part", { calls: [{ ...asked, body: "Permission" }, done] }, "call 1 lacks: touch a"],
    ["a text is JSON", { calls: [asked, { ...done, body: 'The command ran. {"error":1}' }] }, "call 2 is raw JSON"],
    ["the agent deviated", { troubles: ["it did not end"] }, "it did not end"],
  ];
  test("fails when a call, its order or its text differs, or the agent deviated", async () => {
    const check = ([, run, difference]: (typeof faults)[number]) => {
      const differences = expect.arrayContaining([difference]);
      expect(readOutcome(wanted, run)).toMatchObject({ outcome: "FAILED", differences });
    };
    expect(await collectFailures(faults, check)).toEqual([]);
  });

  test("with a known fault passes while it exists, and fails when the agent deviated", () => {
    const outcome = (known: Expectation["known"], run: Partial<Played>) =>
      readOutcome({ ...wanted, known }, run).outcome;
    expect(outcome({ reason }, { calls: [asked] })).toBe("known");
    expect(outcome({ reason }, { calls: [asked, done] })).toBe("fixed");
    expect(outcome({ reason, sometimes: true }, { calls: [asked, done] })).toBe("known");
    expect(outcome({ reason }, { calls: [], troubles: ["stuck"] })).toBe("FAILED");
  });
});

describe("a screen", () => {
  test("that differs only in numbers and drawing characters is the same", () => {
    const bare = { screens: { end: "│ Worked for 3 s │" } };
    expect(readOutcome(wanted, { screens: { end: "Worked for 12.5 s" } }, bare).outcome).toBe("ok");
  });

  test("with one of our lines, a hook error or another line fails", () => {
    for (const line of ["~/.beckon/hook Stop", "Stop hook error: exited with 1", "What is this?"]) {
      const { outcome, differences, onlyScreens } = readOutcome(wanted, { screens: { end: line } });
      expect([outcome, onlyScreens, differences]).toEqual(["FAILED", true, [expect.any(String)]]);
    }
  });

  test("may show the agent's own lines about hooks", () => {
    expect(readOutcome(wanted, { printed: ["(running Stop hook · #s)"] }).outcome).toBe("ok");
  });

  test("of Gemini CLI may have a hook's name, but not its command", () => {
    const outcome = (line: string) =>
      judge(gemini, wanted, { withHooks: [played({ printed: [line] })], bare: [played({})] }).outcome;
    expect(outcome("Executing Hook: beckon")).toBe("ok");
    expect(outcome("Executing Hook: ~/.beckon/hook AfterAgent --agent gemini || :")).toBe("FAILED");
  });

  test("fails at once for a line about hooks, and for other new lines only if repeated", () => {
    const bare = played({});
    const screens = (text: string) => played({ screens: { end: text } });
    const judged = (first: string) => judge(claude, wanted, { withHooks: [screens(first), screens("")], bare: [bare] });
    expect(judged("A tip of the day").outcome).toBe("ok");
    expect(judged("Stop hook error").outcome).toBe("FAILED");
  });
});

describe("the model's input", () => {
  const added = '{"suppressOutput":true}';

  test("fails the scenario if hooks add to it", () => {
    const { outcome, differences } = readOutcome(wanted, { modelLines: ["Do it.", added] }, { modelLines: ["Do it."] });
    expect([outcome, differences]).toEqual(["FAILED", [`only with hooks, the model gets: ${added}`]]);
  });

  test("may have the agent's own additions once a hook has run", () => {
    const judged = (line: string) =>
      judge(droid, wanted, { withHooks: [played({ modelLines: [line] })], bare: [played({})] }).outcome;
    expect([judged("USER:"), judged("USER: stop")]).toEqual(["ok", "FAILED"]);
  });

  test("may have lines that occur only once, or without hooks too", () => {
    const runs = (...modelLines: string[][]) =>
      modelLines.map((lines) => played({ modelLines: lines })) as [Played, ...Played[]];
    const twice: Runs = { withHooks: runs(["a", "tip"], ["a"]), bare: runs(["b"], ["a"]) };
    expect(judge(claude, wanted, twice).outcome).toBe("ok");
  });
});
