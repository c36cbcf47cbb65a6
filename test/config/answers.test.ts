import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { listChoices, listUsers } from "../../src/config/answer-rights.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { isAlwaysSerial } from "../../src/core/agent.ts";

const answers = { agents: ["claude"], projects: ["~/code/**"] };
const read = async (section: object, more: object = {}) => parseConfig(JSON.stringify({ answers: section, ...more }));

test("without the section nobody may answer", async () => {
  expect((await parseConfig("{}")).answers).toBeUndefined();
  expect((await parseConfig(undefined)).answers).toBeUndefined();
});

test("the section has careful defaults", async () => {
  const { answers: parsed, findings } = await read(answers);
  expect(findings).toEqual([]);
  expect(parsed).toEqual({ ...answers, wait: 600_000, when: "away", never: [], from: {} });
});

test("a notifier that cannot carry answers, or does not exist, switches them off", async () => {
  const desk = { notifiers: { desk: { type: "desktop" }, log: { type: "file", path: "/tmp/x" } } };
  expect((await read({ ...answers, from: { desk: ["deny"] } }, desk)).answers?.from).toEqual({ desk: ["deny"] });
  expect((await read({ ...answers, from: { log: ["deny"] } }, desk)).answers).toBeUndefined();
  expect((await read({ ...answers, from: { none: ["deny"] } }, desk)).answers).toBeUndefined();
});

describe("a chat", () => {
  const chat = { type: "telegram", token: "123456:ABCdefGHIjklMNOpqrSTUvwx", chatId: "1" };
  const notifiers = { me: chat, brief: { ...chat, detail: "summary" }, desk: { type: "desktop" } };
  const readFrom = async (from: object) => read({ ...answers, from }, { notifiers });

  test("may only deny by default, and only for listed people", async () => {
    const { answers: parsed, findings } = await readFrom({ me: { users: [123456789] } });
    expect(findings).toEqual([]);
    expect([listChoices(parsed, "me"), listUsers(parsed, "me")]).toEqual([["deny"], [123456789]]);
    expect([listChoices(parsed, "other"), listUsers(parsed, "other")]).toEqual([[], undefined]);
  });

  const refusals: readonly (readonly [string, object, RegExp])[] = [
    ["a chat without people", { me: ["deny", "allow"] }, /must name the people who may answer, by their numeric ids/],
    ["people at a desktop", { desk: { users: [1], may: ["deny"] } }, /must not have `users`/],
    ["a message that hides the request", { brief: { users: [1] } }, /its `detail` hides the request/],
    ["a name that does not exist", { you: { users: [1] } }, /there is no such notifier/],
    ["nobody", { me: { users: [] } }, /./],
    ["a name instead of an id", { me: { users: ["@ann"] } }, /./],
    ["an id as text", { me: { users: ["123456789"] } }, /./],
    ["a group's id", { me: { users: [-1001234567890] } }, /./],
    ["a fraction", { me: { users: [1.5] } }, /./],
    ["an unknown member", { me: { users: [1], my: ["allow"] } }, /./],
    ["an unknown answer", { me: { users: [1], may: ["always"] } }, /./],
    ["no answer", { me: { users: [1], may: [] } }, /./],
  ];
  test.each(refusals)("is refused with the reason: %s", async (_, from, reason) => {
    const { answers: parsed, findings } = await readFrom(from);
    expect(parsed).toBeUndefined();
    const [first] = findings.filter(({ level }) => level === "error");
    expect(first?.path).toMatch(/^answers/);
    expect(first?.message).toMatch(reason);
  });
});

test("any mistake in the section switches all answers off, with an error", async () => {
  const mistakes: readonly object[] = [
    { ...answers, nevr: ["terraform *"] },
    { ...answers, never: "terraform *" },
    { ...answers, never: [""] },
    { ...answers, when: "sometimes" },
    { ...answers, wait: "2d" },
    { ...answers, from: { desk: ["always"] } },
    { ...answers, from: { desk: [] } },
    { agents: ["claude"] },
    { projects: ["~/code/**"] },
    { ...answers, projects: [] },
    { ...answers, agents: ["unknown"] },
    [],
  ];
  for (const mistake of mistakes) {
    const { answers: parsed, findings } = await read(mistake);
    expect([mistake, parsed]).toEqual([mistake, undefined]);
    expect(findings.some(({ level }) => level === "error")).toBe(true);
  }
});

test("a file with a syntax error allows no answers, though the section can be read", async () => {
  const text = `{ "answers": ${JSON.stringify(answers)}, "routes": [ }`;
  expect((await parseConfig(text)).answers).toBeUndefined();
});

test("an agent that cannot be answered is refused with its reason", async () => {
  for (const { name, title, permissionHook } of agents) {
    if (typeof permissionHook === "object") continue;
    const { findings } = await read({ ...answers, agents: [name] });
    expect(findings[0]?.message).toContain(title);
    expect(findings[0]?.message).toContain(permissionHook ?? "no hook for permission requests");
  }
});

test("a warning explains that `always` does not apply to agents whose own dialog comes after the hook", async () => {
  const serial = agents.filter((agent) => isAlwaysSerial(agent)).map(({ name }) => name);
  const all = { ...answers, agents: ["claude", ...serial] };
  expect((await read({ ...all, when: "away" })).findings).toEqual([]);
  expect((await read({ ...answers, when: "always" })).findings).toEqual([]);
  const { answers: parsed, findings } = await read({ ...all, when: "always" });
  expect(parsed).toMatchObject({ ...all, when: "always" });
  const message = expect.stringMatching(/^does not apply to Codex and Qwen Code: /);
  expect(findings).toMatchObject([{ level: "warning", path: "answers.when", message }]);
});

test("a glob that picomatch would take too long to match is a warning, and the answers stay on", async () => {
  const parsed = await read({ ...answers, projects: ["~/code/**", "!(+(+(a)))"] });
  const findings = [{ level: "warning", path: "answers.projects[1]" }];
  expect(parsed).toMatchObject({ answers: { projects: { length: 2 } }, findings });
});
