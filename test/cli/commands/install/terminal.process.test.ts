import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { builtCli, useCliHome } from "../../../world/cli-home.ts";
import { addProgram } from "../../../world/doctor-home.ts";
import { listTree } from "../../../world/install-world.ts";
import { keys, openTerminal, type Terminal } from "../../terminal.ts";

const home = useCliHome();
beforeEach(() => {
  home.write(settings("droid"), '{\n  // mine\n  "model": "x"\n}\n');
  home.write(settings("claude"), '{"a":1}');
  // The sample event neither leaves the machine nor rings on it.
  home.config({ notifiers: { none: { type: "speech", program: "/bin/true" } }, delivery: { linger: "0s" } });
  addProgram(home, "claude", 'echo "2.1.329 (Claude Code)"');
});

const settings = (agent: "droid" | "claude") =>
  join(home.home, agent === "droid" ? ".factory" : ".claude", "settings.json");
const read = (agent: "droid" | "claude") => readFileSync(settings(agent), "utf8");

function beckon(...args: string[]): Terminal {
  const env = { ...home.env, PATH: `${join(home.home, "bin")}:${home.env["PATH"]}` };
  return openTerminal([process.execPath, builtCli, ...args], env, home.project);
}
const install = (...args: string[]) => beckon("install", ...args);

test("install lists and asks for agents, sums up, shows a diff on request, writes, and tests", async () => {
  const terminal = install();
  await terminal.answer("Which agents should notify you?", keys.enter);
  await terminal.answer("Make these changes to 2 agents?", "d");
  await terminal.answer("Make these changes to 2 agents?", keys.enter);
  await terminal.answer("Link it in ~/bin?", keys.enter);
  await terminal.answer("Get notifications on your phone too?", keys.enter);
  expect(await terminal.ended).toBe(0);
  expect(existsSync(join(home.home, "bin", "beckon"))).toBe(true);
  const screen = terminal.screen();
  expect(screen).toMatch(/Claude Code +(?:[\d.]+ +)?~\/\.claude\/settings\.json +no hooks yet/);
  expect(screen).toMatch(/Droid +~\/\.factory\/settings\.json +no hooks yet/);
  expect(screen).toContain('+            "command": "~/.beckon/hook Stop --agent droid || :"');
  expect(screen).toMatch(/Sample event:\s+none +sent/);
  expect(screen).toMatch(/Next steps:\s+Claude Code .*\s+Droid: Restart running Droid sessions/);
  expect(read("droid")).toContain("hook Stop --agent droid");
  expect(read("claude")).toContain("hook Stop --agent claude");
});

test("a deselected agent is left alone", async () => {
  const terminal = install();
  await terminal.answer("Which agents should notify you?", keys.space, keys.enter);
  await terminal.answer("Make these changes to Droid?", keys.yes);
  await terminal.answer("Link it in ~/bin?", keys.no);
  await terminal.answer("Get notifications on your phone too?", keys.no);
  expect(await terminal.ended).toBe(0);
  expect(read("droid")).toContain("hook Stop --agent droid");
  expect(read("claude")).toBe('{"a":1}');
});

test("yes to the phone leads to the choice of an app, and Escape there leaves the rest installed", async () => {
  const terminal = install("--agent", "droid");
  await terminal.answer("Make these changes to Droid?", keys.yes);
  await terminal.answer("Link it in ~/bin?", keys.enter);
  await terminal.answer("Get notifications on your phone too?", keys.yes);
  await terminal.answer("Which app do you want on your phone?", keys.escape);
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).toMatch(/Nothing was saved\.\s*The hooks are installed. Skipped: your phone.\s*$/);
  expect(read("droid")).toContain("hook Stop --agent droid");
});

test.each([
  { name: "a notifier that reaches the phone", phone: { type: "ntfy", topic: "abc", server: "http://127.0.0.1:9" } },
  { name: "a program that the user calls a person's", phone: { type: "command", run: ["true"], for: "person" } },
])("with $name the phone is not offered", async ({ phone }) => {
  const none = { type: "command", run: ["true"] };
  home.config({ notifiers: { none, phone }, routes: [{ to: ["none"] }], delivery: { linger: "0s" } });
  const terminal = install("--agent", "droid");
  await terminal.answer("Make these changes to Droid?", keys.yes);
  await terminal.answer("Link it in ~/bin?", keys.enter);
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).not.toContain("phone too?");
});

test("with --yes, and when nothing has changed, the phone is not offered", async () => {
  const unasked = install("--agent", "droid", "--yes");
  expect(await unasked.ended).toBe(0);
  const again = install("--agent", "droid");
  await again.answer("Link it in ~/bin?", keys.no);
  expect(await again.ended).toBe(0);
  for (const { screen } of [unasked, again]) expect(screen()).not.toContain("phone too?");
});

test.each([
  { name: "Down and Enter choose No", pressed: [keys.down, keys.enter], chosen: "No" },
  { name: "Up and Enter choose the last choice, the diff", pressed: [keys.up, keys.enter], chosen: "Show the diff" },
])("at the confirmation $name, not Yes", async ({ pressed, chosen }) => {
  const before = listTree(home.home);
  const terminal = install("--agent", "droid");
  await terminal.answer("Make these changes to Droid?", ...pressed);
  if (chosen !== "No") await terminal.answer("Make these changes to Droid?", keys.no);
  expect(await terminal.ended).toBe(1);
  expect(terminal.screen()).toMatch(new RegExp(`◇  Make these changes to Droid\\?\\s+│  ${chosen}`));
  expect(listTree(home.home)).toEqual(before);
});

test("Down, Up and Enter choose Yes; a capital letter works like the small one", async () => {
  const terminal = install("--agent", "droid");
  await terminal.answer("Make these changes to Droid?", "D");
  await terminal.answer("Make these changes to Droid?", keys.down, keys.up, keys.enter);
  await terminal.answer("Link it in ~/bin?", keys.down, keys.enter);
  await terminal.answer("Get notifications on your phone too?", keys.enter);
  expect(await terminal.ended).toBe(0);
  expect(existsSync(join(home.home, "bin", "beckon"))).toBe(false);
  expect(read("droid")).toContain("hook Stop --agent droid");
});

test.each([80, 0])("without colours the default is marked; Escape says Cancelled; %i columns", async (columns) => {
  const before = listTree(home.home);
  const env = { ...home.env, NO_COLOR: "1" };
  const terminal = openTerminal(
    [process.execPath, builtCli, "install", "--agent", "droid"],
    env,
    home.project,
    columns,
  );
  await terminal.answer("● Yes (y)", keys.escape);
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).toMatch(/○ No \(n\)\s+│ {2}○ Show the diff \(d\)/);
  expect(terminal.screen()).toMatch(
    /■ {2}Make these changes to Droid\?\s+│\s+└ {2}Cancelled\.\s+Nothing was changed\./,
  );
  expect(listTree(home.home)).toEqual(before);
});

test.each([
  { name: "uninstall", command: ["uninstall"], first: "Yes", pressed: [keys.down, keys.enter], chosen: "│  No" },
  { name: "uninstall", command: ["uninstall"], first: "Yes", pressed: [keys.escape], chosen: "Cancelled." },
  { name: "upgrade", command: ["upgrade"], first: "Yes", pressed: [keys.down, keys.enter], chosen: "│  No" },
])("$name takes $chosen and changes nothing", async ({ command, first, pressed, chosen }) => {
  await install("--agent", "droid", "--yes").ended;
  home.write(settings("droid"), read("droid").replaceAll("~/.beckon/hook", home.paths.launcher));
  const before = read("droid");
  const terminal = beckon(...command);
  await terminal.answer(`● ${first}`, ...pressed);
  expect(await terminal.ended).toBe(chosen === "Cancelled." ? 130 : 1);
  expect(terminal.screen()).toContain(chosen);
  expect(read("droid")).toBe(before);
});

test("config add takes arrow keys, and Escape says that nothing was saved", async () => {
  const before = listTree(home.home);
  const terminal = beckon("config", "add", "--no-test");
  await terminal.answer("How should beckon notify you?", keys.down, keys.up, keys.escape);
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).toMatch(/Cancelled\.\s+Nothing was saved\./);
  expect(listTree(home.home)).toEqual(before);
});

test.each([
  { name: "Ctrl-C at the list", list: keys.interrupt, agreement: undefined },
  { name: "Ctrl-C at the confirmation", list: keys.enter, agreement: keys.interrupt },
  { name: "no at the confirmation", list: keys.enter, agreement: keys.no },
])("$name changes nothing, exit code 1, or 130 after Ctrl-C", async ({ list, agreement }) => {
  const before = listTree(home.home);
  const terminal = install();
  await terminal.answer("Which agents should notify you?", list);
  if (agreement !== undefined) await terminal.answer("Make these changes", agreement);
  expect(await terminal.ended).toBe(agreement === keys.no ? 1 : 130);
  expect(terminal.screen()).toContain("Nothing was changed.");
  expect(listTree(home.home)).toEqual(before);
});

test("upgrade asks before it edits a settings file; Ctrl-C keeps the entries, yes updates them", async () => {
  await install("--yes").ended;
  const wanted = read("droid");
  home.write(settings("droid"), wanted.replaceAll("~/.beckon/hook", home.paths.launcher));
  // The worker stays until it has withdrawn the sample's notification.
  await vi.waitUntil(() => !existsSync(home.paths.lock), { timeout: 30_000 });
  const before = listTree(home.home);
  const cancelled = beckon("upgrade");
  await cancelled.answer("Make these changes?", keys.interrupt);
  expect(await cancelled.ended).toBe(130);
  expect(listTree(home.home)).toEqual(before);
  const agreed = beckon("upgrade");
  await agreed.answer("Make these changes?", keys.enter);
  expect(await agreed.ended).toBe(0);
  expect(read("droid")).toBe(wanted);
});
