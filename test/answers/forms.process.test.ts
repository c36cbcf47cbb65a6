import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Ask, readOpenAsks } from "../../src/answers/ask-files.ts";
import { buildDecision, hashPayload } from "../../src/core/permission-form.ts";
import { buildAllowWith, maxAnswerBytes } from "../../src/core/permission-reply.ts";
import { askedPayload, startAgent, startBoard, typeAnswer, untilAsked, useAskingHome } from "../world/asking-agent.ts";
import { allow, deny } from "./replies.ts";

const home = useAskingHome();

const option = (label: string, description: string) => ({ label, description });
const colour = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [option("Red", "Warm"), option("Blue", "Cold")],
};
const sizes = { question: "Which sizes?", multiSelect: true, options: [option("S", "small"), option("L", "large")] };
const makeQuestion = (...questions: object[]) => ({ tool: "AskUserQuestion", input: { questions } });
const plan = { tool: "ExitPlanMode", input: { plan: "# Rename the button → link\n\n1. Find it.\n2. Rename it." } };
const silence = { printed: "", exitCode: 0 };

const start = (payload: string, seconds = 60) => startAgent(home, payload, `--form ${seconds}`);
const openAsk = (): Ask => readOpenAsks(home.paths)[0] as Ask;

test("a question is answered with its number or with own words, in another terminal", async () => {
  const asked = makeQuestion(colour);
  const ownWords = `Neither "a" of them, C:\\x${"!".repeat(1_000)}`;
  const first = start(askedPayload(asked));
  const { id } = await untilAsked(home);
  for (const number of ["0", "7"])
    expect((await typeAnswer(home, [id], number)).output).toMatch(/each question needs one of its own options/);
  expect((await typeAnswer(home, [id, "2"], "1")).output).toMatch(/Nothing was answered/);
  const { output } = await typeAnswer(home, [id, "2"], "2");
  expect(output).toMatch(/Which colour\?\s+1 {2}Red — Warm\s+2 {2}Blue — Cold[\s\S]*Answered: Blue/);
  const answered = (answer: string) => buildAllowWith({ ...asked.input, answers: { "Which colour?": answer } });
  expect(await first.end).toMatchObject({ printed: answered("Blue"), exitCode: 0 });
  const second = start(askedPayload(asked));
  await typeAnswer(home, [(await untilAsked(home, 2)).id], ownWords);
  expect(await second.end).toMatchObject({ printed: answered(ownWords) });
  const third = start(askedPayload(asked));
  await typeAnswer(home, [(await untilAsked(home, 3)).id], "Deny");
  expect(await third.end).toMatchObject({ printed: expect.stringContaining('"behavior":"deny"') });
  const lines = home.journal().filter(({ status }) => status === "answered");
  expect(lines).toMatchObject([
    { choice: "allow", reason: "Blue" },
    { choice: "allow", reason: `${ownWords.slice(0, 199)}…` },
    { choice: "deny" },
  ]);
});

test("numbers count in full-width forms, and own words with such forms stay as they are", async () => {
  const asked = makeQuestion({ ...sizes, options: [option("３日", "later"), option("L", "large")] });
  const answers = { "1、２，": "３日, L", "３": "３日", "Ｌ、1": "Ｌ、1" };
  for (const [at, [typed, answer]] of Object.entries(answers).entries()) {
    const agent = start(askedPayload(asked));
    await typeAnswer(home, [(await untilAsked(home, at + 1)).id], typed);
    const printed = buildAllowWith({ ...asked.input, answers: { "Which sizes?": answer } });
    expect(await agent.end).toMatchObject({ printed });
  }
});

test("a typed number that is one option's place and another's name is asked for again, as a place", async () => {
  const asked = makeQuestion({ ...colour, options: ["3", "5 days", "10"].map((label) => option(label, "later")) });
  const first = start(askedPayload(asked));
  const { id } = await untilAsked(home);
  expect((await typeAnswer(home, [id, "3"], "3")).output).toMatch(/3 may be an option's place or its name/);
  expect((await typeAnswer(home, [id], "3\r\u007f03")).output).toMatch(/place or its name[\s\S]*Answered: 10/);
  await first.end;
  for (const [at, [typed, answer]] of Object.entries({ "01": "3", "5": "5 days" }).entries()) {
    const agent = start(askedPayload(asked));
    await typeAnswer(home, [(await untilAsked(home, at + 2)).id], typed);
    const printed = buildAllowWith({ ...asked.input, answers: { "Which colour?": answer } });
    expect(await agent.end).toMatchObject({ printed });
  }
});

test("several questions are answered on the board, option by option", async () => {
  const asked = makeQuestion(colour, sizes);
  const agent = start(askedPayload(asked));
  await untilAsked(home);
  const board = await startBoard(home);
  onTestFinished(board.stop);
  const press = async (choice: number | "allow") => JSON.parse((await board.press(openAsk(), choice)).text).text;
  // Nothing is allowed within a second after it was shown.
  await expect.poll(() => press("allow"), { timeout: 10_000 }).toMatch(/each question needs one of its own/);
  expect(await press(1)).toBe("Chosen: Red. Not all questions are answered yet.");
  expect(await press(2)).toBe("Chosen: Blue. Not all questions are answered yet.");
  expect(await press(3)).toBe("Chosen: Blue, S. Not sent yet.");
  expect(await press(4)).toBe("Chosen: Blue, S, L. Not sent yet.");
  expect(openAsk()).toMatchObject({ picked: [2, 3, 4], isMultiple: true });
  expect(await press("allow")).toBe("Answered: Blue · S, L");
  const answers = { "Which colour?": "Blue", "Which sizes?": "S, L" };
  expect(await agent.end).toMatchObject({ printed: buildAllowWith({ ...asked.input, answers }) });
});

test("a plan is approved unchanged, or sent back with a reason", async () => {
  const first = start(askedPayload(plan));
  const { id } = await untilAsked(home);
  expect((await typeAnswer(home, [id], "allow")).output).toMatch(/# Rename the button → link[\s\S]*2\. Rename it\./);
  expect(await first.end).toMatchObject({ printed: buildAllowWith(plan.input) });
  const second = start(askedPayload(plan));
  const refusal = [(await untilAsked(home, 2)).id, "--reason", "Keep the name."];
  expect((await typeAnswer(home, refusal, "allow")).output).toMatch(/Type deny[\s\S]*Nothing was answered/);
  await typeAnswer(home, refusal, "ｄｅｎｙ");
  expect(await second.end).toMatchObject({ printed: deny("Keep the name.") });
});

test("only the entry for forms asks about them, and it asks about nothing else", async () => {
  expect(await startAgent(home, askedPayload(makeQuestion(colour)), 20).end).toMatchObject(silence);
  expect(await start(askedPayload({ tool: "Bash", input: { command: "touch made" } }), 20).end).toMatchObject(silence);
  const lines = await home.until((journal) => journal.filter(({ status }) => status === "given-up").length === 2);
  const reason = "this tool is only answered in the agent";
  expect(lines.filter(({ status }) => status === "given-up")).toMatchObject([{ reason }, { reason }]);
});

const payload = askedPayload(plan);
const decision = buildDecision(hashPayload(Buffer.from(payload)), {});

test.each<[string, (file: string) => void]>([
  ["a permission", (file) => writeFileSync(file, allow)],
  ["a reply with another input", (file) => writeFileSync(file, buildAllowWith({ command: "touch forged" }))],
  ["a decision about another plan", (file) => writeFileSync(file, buildDecision("0".repeat(64), {}))],
  [
    "a decision behind a link",
    (file) => {
      writeFileSync(`${file}.there`, decision);
      symlinkSync(`${file}.there`, file);
    },
  ],
  ["a folder", (file) => void mkdirSync(file)],
  ["too much", (file) => writeFileSync(file, " ".repeat(maxAnswerBytes) + decision)],
])("%s in the answer's place prints nothing", async (_, plant) => {
  const agent = start(payload, 20);
  const { id } = await untilAsked(home);
  plant(join(home.paths.asks, id));
  expect(await agent.end).toMatchObject(silence);
});
