import { expect, test } from "vitest";
import {
  buildDecision,
  buildFormReply,
  hashPayload,
  type PermissionForm,
  readForm,
  togglePick,
} from "../../src/core/permission-form.ts";
import { buildAllowWith, buildReply, resemblesReply } from "../../src/core/permission-reply.ts";

const option = (label: unknown, more: object = {}) => ({ label, ...more });
const database = { question: "Which database?", header: "DB", options: [option("Postgres"), option("SQLite")] };
const caches = { question: "Which caches?", multiSelect: true, options: [option("Redis"), option("None")] };
const call = (tool_name: string, tool_input: object) => ({
  hook_event_name: "PermissionRequest",
  tool_name,
  tool_input,
});
const ask = (...questions: unknown[]) => call("AskUserQuestion", { questions, metadata: { source: "x" } });
const plan = call("ExitPlanMode", { plan: "# Rename\n\n1. Find it.", planFilePath: "/p.md" });
const bytes = (payload: unknown) => Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
/** Reply of the hook that has received a payload, to a decision about the same payload. */
const replyTo = (payload: unknown, decision: object) => {
  return buildFormReply(buildDecision(hashPayload(bytes(payload)), decision), bytes(payload));
};
const answersIn = (reply: string | undefined) =>
  reply && JSON.parse(reply).hookSpecificOutput.decision.updatedInput.answers;

test("the reply repeats the input of the tool, and adds nothing but the answers", () => {
  const input = { questions: [database], metadata: { source: "x" } };
  const expected = buildAllowWith({ ...input, answers: { "Which database?": "SQLite" } });
  expect(replyTo(ask(database), { picks: [2] })).toBe(expected);
  expect(expected).toBe(
    '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":' +
      `${JSON.stringify({ ...input, answers: { "Which database?": "SQLite" } })}}}}\n`,
  );
  expect(answersIn(replyTo(ask(database, caches), { picks: [1, 3, 4] }))).toEqual({
    "Which database?": "Postgres",
    "Which caches?": "Redis, None",
  });
  expect(answersIn(replyTo(ask(database), { text: 'Neither "a\\b"' }))).toEqual({
    "Which database?": 'Neither "a\\b"',
  });
  expect(replyTo(plan, {})).toBe(buildAllowWith(plan.tool_input));
  expect(buildFormReply(buildReply("deny", "Later."), bytes(plan))).toBe(buildReply("deny", "Later."));
});

const own = hashPayload(bytes(ask(database)));
const decide = (members: object, hash = own) => JSON.stringify({ form: hash, behavior: "allow", ...members });
const run = { questions: [database], answers: {} };

test.each([
  ["nothing", ""],
  ["a permission", buildReply("allow")],
  ["a whole reply with another input", buildAllowWith({ command: "touch forged" })],
  [
    "a whole reply with the same input",
    buildAllowWith({ ...ask(database).tool_input, answers: { "Which database?": "SQLite" } }),
  ],
  ["an option that was not offered", decide({ picks: [3] })],
  ["option 0", decide({ picks: [0] })],
  ["half an option", decide({ picks: [1.5] })],
  ["an option as text", decide({ picks: ["1"] })],
  ["two options of a question with one answer", decide({ picks: [1, 2] })],
  ["an option twice", decide({ picks: [1, 1] })],
  ["no option", decide({ picks: [] })],
  ["no picks", decide({})],
  ["an option and a text", decide({ picks: [1], text: "x" })],
  ["a text that is a list", decide({ text: ["x"] })],
  ["a further member", decide({ picks: [1], updatedInput: run })],
  ["updatedPermissions", decide({ picks: [1], updatedPermissions: [] })],
  ["another behavior", JSON.stringify({ form: own, behavior: "always", picks: [1] })],
  ["another request", decide({ picks: [1] }, hashPayload(bytes(ask(caches))))],
  ["no request", JSON.stringify({ behavior: "allow", picks: [1] })],
  ["a list", `[${decide({ picks: [1] })}]`],
  ["two decisions", decide({ picks: [1] }) + decide({ picks: [2] })],
])("%s is no answer to a question", (_, decision) => {
  expect(buildFormReply(decision, bytes(ask(database)))).toBeUndefined();
  expect(buildFormReply(decision, bytes(plan))).toBeUndefined();
});

const many = (count: number) => Array.from({ length: count }, (_, at) => option(`o${at}`));

test.each([
  ["a command", call("Bash", { command: "true" }), {}],
  ["a command with questions", call("Bash", { command: "true", questions: [database] }), { picks: [1] }],
  ["another tool of a server", call("mcp__x__AskUserQuestion", { questions: [database] }), { picks: [1] }],
  ["no questions", ask(), {}],
  ["a question that occurs twice", ask(database, database), { picks: [1, 3] }],
  ["a label that occurs twice", ask({ ...database, options: [option("a"), option("a")] }), { picks: [1] }],
  ["an empty label", ask({ ...database, options: [option(""), option("a")] }), { picks: [2] }],
  ["a label that is a number", ask({ ...database, options: [option(1)] }), { picks: [1] }],
  ["no options", ask({ ...database, options: [] }), { text: "x" }],
  ["200 options", ask({ ...database, options: many(200) }), { picks: [1] }],
  ["a mark for several that is no boolean", ask({ ...caches, multiSelect: "yes" }), { picks: [1] }],
  ["own words for two questions", ask(database, caches), { text: "x" }],
  ["one of two questions", ask(database, caches), { picks: [1] }],
  ["options of one question for another", ask(database, caches), { picks: [1, 2] }],
  ["a plan without its text", call("ExitPlanMode", { planFilePath: "/p.md" }), {}],
  ["options for a plan", plan, { picks: [1] }],
  ["own words for a plan", plan, { text: "x" }],
  ["a damaged payload", '{"tool_name":"ExitPlanMode","tool_input":{', {}],
  ["a list", [plan], {}],
])("%s is not answered", (_, payload: unknown, decision: object) => {
  expect(replyTo(payload, decision)).toBeUndefined();
});

test("options are numbered through, and chosen one after the other", () => {
  const form = readForm(ask(database, caches)) as PermissionForm;
  expect(form.questions.map(({ first }) => first)).toEqual([1, 3]);
  const press = (...picks: number[]) =>
    picks.reduce<readonly number[]>((chosen, pick) => togglePick(form, chosen, pick), []);
  expect([press(1, 9), press(1, 2), press(3, 4), press(4, 3, 4), press(1, 3, 2), press(1, 1)]).toEqual([
    [1],
    [2],
    [3, 4],
    [3],
    [2, 3],
    [],
  ]);
});

test("labels and questions are data, whatever they look like", () => {
  const label = '</b>","answers":{"x":"y"},"behavior":"deny';
  const odd = { question: "__proto__", options: [option(label), option("constructor")] };
  const reply = replyTo(ask(odd), { picks: [1] });
  expect(reply).toContain(`"answers":{"__proto__":${JSON.stringify(label)}}`);
});

test("a decision counts as meant as a reply", () => {
  expect([decide({ picks: [1] }), ` ${decide({})}`, '{"form" : "x"', "{}", ""].map(resemblesReply)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
