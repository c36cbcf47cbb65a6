import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { switchOff, writeOpenAsk } from "../../../src/answers/ask-files.ts";
import { lockLine } from "../../../src/files/lock-line.ts";
import { openAsk as ask } from "../../world/asking-agent.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { hooksFor, installHealthy, problemsIn, runChecks } from "../../world/doctor-home.ts";
import { readOutput } from "../../world/json-output.ts";
import { makeLastingFolder } from "../../world/lasting-folder.ts";

const home = useCliHome(() => makeLastingFolder("cli"));
const temporary = useCliHome();

const answers = { agents: ["claude"], projects: ["~/**"], from: { desk: ["deny"] } };
/** A program of one's own shows notifications without buttons, on every machine. */
const notifiers = { desk: { type: "desktop", program: process.execPath } };
const { atMs } = ask;
/** Opens the request, which this process holds in place of a worker. */
function openAsk(): void {
  home.write(home.paths.lock, lockLine(process.pid));
  writeOpenAsk(home.paths, ask);
}
/** Gives Claude Code the hook that asks for answers, beside the usual ones. */
function addAskingHook(): void {
  const command = "~/.beckon/hook PermissionRequest --agent claude --ask 600 || :";
  const asking = { PermissionRequest: [{ hooks: [{ type: "command", command }] }] };
  const hooks = { ...hooksFor("claude", "Notification", "Stop"), ...asking };
  home.write(join(home.home, ".claude", "settings.json"), JSON.stringify({ hooks }));
}
const say = async (...words: string[]) => (await home.run(words, { now: () => atMs + 60_000 })).stdout;
const problems = async () => problemsIn((await runChecks(home)).results).filter((line) => line.includes("answers"));

test("answers are not set up, on, or off, and status says so", async () => {
  expect(await say("answers")).toMatch(/^Answers are not set up\. .*beckon config add answers\n.*docs\/answers\.md/s);
  expect(await say("status")).not.toContain("Answers");
  home.config({ answers, notifiers });
  addAskingHook();
  openAsk();
  const may = "Ways to answer: beckon answer, the board. Not with desk: `program` gets no buttons.";
  const [on, ...more] = [
    "Answers are on, while you are away from this machine (answers.when).",
    "Agents: claude. Folders: ~/**.",
    may,
    "1 open request.",
  ];
  expect(await say("answers")).toBe([on, ...more, ""].join("\n"));
  expect(await say("status")).toMatch(/Answers\n +Answers are on, while/);
  const off = "Answers are off: you switched them off. To switch them on: beckon answers on";
  expect(await say("answers", "off")).toBe([off, ...more, ""].join("\n"));
  expect(existsSync(join(home.paths.asks, "off"))).toBe(true);
});

test("answers and status name agents without the hook that asks, and the command that adds it", async () => {
  home.config({ answers: { agents: ["claude", "codex"], projects: ["~/code/**"] } });
  const hint = (title: string, name: string) =>
    `${title} has no hook for answers, so its requests are not held. To correct it: beckon install --agent ${name}`;
  expect(await say("answers")).toContain(
    `(answers.when).\n${hint("Claude Code", "claude")}\n${hint("Codex", "codex")}\n`,
  );
  addAskingHook();
  for (const command of ["answers", "status"]) {
    expect(await say(command)).toContain(hint("Codex", "codex"));
    expect(await say(command)).not.toContain("Claude Code has no hook");
  }
  expect(readOutput("answers status", await say("answers", "--json"))).toMatchObject([{ withoutHook: ["codex"] }]);
});

test("with --json, status and the switch print the state", async () => {
  const state = { state: "not set up", agents: [], projects: [], from: {}, open: 0 };
  expect(readOutput("answers status", await say("answers", "status", "--json"))).toEqual([state]);
  home.config({ answers });
  addAskingHook();
  const from = { desk: { may: ["deny"] } };
  const on = { ...state, state: "on", agents: ["claude"], projects: ["~/**"], from };
  const off = { ...on, state: "off", offReason: "you switched them off" };
  expect(readOutput("answers off", await say("answers", "off", "--json"))).toEqual([off]);
  expect(readOutput("answers status", await say("answers", "--json"))).toEqual([off]);
  expect(readOutput("status", await say("status", "--json"))[0]).toMatchObject({
    answers: [expect.any(String), expect.any(String), expect.any(String), expect.any(String)],
  });
});

test("the open requests are listed, and sessions mention them", async () => {
  home.config({ answers });
  expect(await say("answer")).toMatch(/^No request is held for you\. When/);
  expect(await say("sessions")).not.toContain("beckon answer");
  openAsk();
  expect(await say("answer")).toMatch(
    /^4f2a0000 {2}shop · Claude Code since \d\d:\d\d, for 1 min: Bash: npm test ⏎ npm run build\nTo answer one: .*\n$/,
  );
  const { hash: _, atMs: __, untilMs: ___, worker: ____, ...shown } = ask;
  const times = { askedAt: "2026-11-26T12:00:00.000Z", untilAt: "2026-11-26T12:10:00.000Z" };
  expect(readOutput("answer", await say("answer", "--json"))).toEqual([{ ...shown, ...times }]);
  expect(await say("sessions")).toContain("You can answer 1 request from here: beckon answer");
});

test("a killed worker's requests are not listed, even if another worker runs", async () => {
  home.config({ answers });
  openAsk();
  home.write(home.paths.lock, lockLine(process.ppid));
  expect(await say("answer")).toMatch(/^No request is held for you\. When/);
  home.write(home.paths.lock, lockLine(2 ** 30));
  expect(await say("answer")).toMatch(/^No request is held for you\. When/);
});

test("a request that has ended is named with its end", async () => {
  home.journal({ id: "77aa0000-ask", status: "asked" });
  home.journal({ id: "77aa0000-ask", status: "given-up", reason: "the hook has ended" });
  home.journal({ id: "77aa0000-ask", status: "late", choice: "deny", via: "terminal" });
  const { stderr } = await home.run(["answer", "77aa", "deny"]);
  expect(stderr).toMatch(/request 77aa is no longer open: .*the hook has ended|only you can do this/);
});

test("an unknown id or choice, a pipe, or an unused option is an error that says what to do; a choice of one needs no id", async () => {
  openAsk();
  const run = async (words: string) => (await home.run(["answer", ...words.split(" ")])).stderr;
  const errors: string[] = [];
  for (const words of ["9", "4f2a yes", "4f2a allow", "deny", "Deny", "4f2a ｄｅｎｙ", "4f2a １、２，"])
    errors.push(await run(words));
  expect(errors[0]).toMatch(/no open request 9|only you can do this/);
  expect(errors[1]).toContain("unknown answer yes");
  for (const error of errors.slice(2)) expect(error).toMatch(/an answer needs a terminal|only you can do this/);
  for (const words of ["--reason x", "4f2a allow --reason x", "Allow --reason x", "4f2a 1,2 --reason x"])
    expect(await run(words)).toContain("--reason only goes with deny");
  for (const words of ["4f2a deny --json", "deny --json", "4f2a --json"])
    expect(await run(words)).toContain("--json only lists the open requests");
});

test("doctor says who may answer, and what is wrong", async () => {
  installHealthy(home);
  home.config({ answers: { ...answers, from: {} } });
  const settings = JSON.stringify({ hooks: hooksFor("claude", "Notification", "Stop") });
  home.write(join(home.home, ".claude", "settings.json"), settings);
  expect(await problems()).toEqual([
    "fail answers: hooks: Claude Code has no hook for answers, so its requests are not held | To correct it: beckon install --agent claude",
  ]);
  addAskingHook();
  expect(await problems()).toEqual([]);
  home.config({ answers: { ...answers, from: {}, wait: "20m" } });
  expect(await problems()).toEqual([
    expect.stringMatching(/^warn answers: hooks: .* waits \d+ s for an answer, not 1200 s .* install --agent claude$/),
  ]);
  home.config({ answers: { ...answers, from: {} } });
  const { results } = await runChecks(home);
  expect(results.find(({ name }) => name === "answers")?.detail).toBe("you may answer with: beckon answer, the board");
  switchOff(home.paths, { reason: "another program put an answer in beckon's place", at: "2026-11-26T12:00:00Z" });
  home.journal({ id: ask.id, status: "foreign", reason: "another program put an answer in beckon's place" });
  writeOpenAsk(home.paths, { ...ask, untilMs: 0 });
  expect(await problems()).toEqual([
    expect.stringMatching(
      /^warn answers: answers are switched off: another program .* \| To switch them on: beckon answers on$/,
    ),
    expect.stringMatching(/^fail answers: forged: another program .* \| .*beckon why 4f2a0000-ask$/),
    expect.stringMatching(/^warn answers: leftovers: 1 file of expired requests/),
  ]);
});

test("beckon's folder among temporary files answers nothing, and doctor says so", async () => {
  installHealthy(temporary);
  temporary.config({ answers: { ...answers, from: {} } });
  expect((await temporary.run(["answers"])).stdout).toContain(
    "Requests are only answered in the agent: beckon's folder is among temporary files.",
  );
  const { results } = await runChecks(temporary);
  expect(results.find(({ name }) => name === "answers")).toMatchObject({
    status: "fail",
    cure: expect.stringMatching(/^To move it: mv '.*' FOLDER, .*FOLDER\/app\/dist\/cli\.js install\./),
  });
});
