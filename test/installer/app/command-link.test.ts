import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../src/cli/commands/install/install.ts";
import { offerLink } from "../../../src/cli/commands/install/offers.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { nameWorkingCommands } from "../../../src/cli/run-process.ts";
import { say } from "../../../src/cli/say.ts";
import { resolvePaths } from "../../../src/files/paths.ts";
import { removeCreated, removePathLines, unlinkCommand } from "../../../src/installer/app/command-link.ts";
import { both, installWorld } from "../../world/install-world.ts";

function world(isInteractive: boolean, folders: readonly string[], home?: ReturnType<typeof installWorld>) {
  const made = home ?? installWorld({ files: both });
  const path = ["/usr/bin", "/bin", ...folders.map((folder) => made.at(folder))].join(":");
  const environment = { ...made.context.environment, env: { PATH: path, HOME: made.home } };
  return { ...made, context: { ...made.context, isInteractive, environment } };
}

test("beckon is linked into the first user-owned folder on PATH if missing there, with agreement", async () => {
  const { context, at, output } = world(true, ["taken", ".local/bin", "bin"]);
  mkdirSync(at("taken"));
  symlinkSync("/nowhere", at("taken/beckon"));
  mkdirSync(at(".local"));
  expect(await runInstall({}, context)).toBe(0);
  expect(readlinkSync(at(".local/bin/beckon"))).toBe(join(context.paths.app, "dist", "cli.js"));
  expect(output()).toContain("Created the link ~/.local/bin/beckon");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(0);
  expect(existsSync(at(".local/bin/beckon"))).toBe(false);
  expect(lstatSync(at("taken/beckon")).isSymbolicLink()).toBe(true);
});

const path = 'export PATH="$HOME/.local/bin:$PATH"';
const fishPath = 'fish_add_path "$HOME/.local/bin"';
test.each([
  { shell: "/bin/bash", platform: "linux", line: path, file: "~/.bashrc" },
  { shell: "/bin/bash", platform: "darwin", line: path, file: "~/.bash_profile" },
  { shell: "/usr/bin/zsh", platform: "linux", line: path, file: "~/.zshrc" },
  { shell: "/usr/bin/fish", platform: "linux", line: fishPath, file: "~/.config/fish/config.fish" },
  { shell: "/bin/sh", platform: "linux", line: path, file: "~/.profile" },
  { shell: undefined, platform: "linux", line: path, file: "~/.profile" },
] as const)("with no folder on PATH, ~/.local/bin is created, and $shell on $platform gets its line", async (row) => {
  const { context, at, output, write } = world(true, []);
  const { environment } = context;
  const env = { ...environment.env, SHELL: row.shell };
  const asking = { ...context, environment: { ...environment, env, platform: row.platform } };
  const answered = await offerLink({}, asking);
  expect(answered).toBe("~/.beckon/app/dist/cli.js");
  expect(readlinkSync(at(".local/bin/beckon"))).toBe(join(context.paths.app, "dist", "cli.js"));
  expect(output()).toContain(`~/.local/bin is not on your PATH. This line in ${row.file} adds it:\n  ${row.line}\n`);
  const startup = at(row.file.slice(2));
  expect(readFileSync(startup, "utf8")).toMatch(/^# Added by beckon\..*\n.*\n$/);
  expect(output()).toContain(`Added it to ${row.file}`);
  await offerLink({}, { ...asking, confirm: () => expect.unreachable() });
  appendFileSync(startup, "# mine\n");
  write(".beckon/app/dist/cli.js", "");
  expect(await removePathLines({ ...asking, paths: resolvePaths(at("other")) })).toEqual([]);
  expect(await removePathLines(asking)).toEqual([startup]);
  expect(readFileSync(startup, "utf8")).toBe("# mine\n");
  expect(await unlinkCommand(asking)).toEqual([at(".local/bin/beckon")]);
  expect(removeCreated(asking).sort()).toEqual([at(".local"), at(".local/bin")]); // the startup file has the user's line
});

test("--purge removes what was created for the command, but no folder that was there", async () => {
  const { context, at, home } = world(true, []);
  mkdirSync(at(".local"));
  const before = readdirSync(home, { recursive: true }).toSorted();
  await runInstall({}, { ...context, environment: { ...context.environment, env: { SHELL: "fish", HOME: home } } });
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(0);
  expect(readdirSync(home, { recursive: true }).toSorted()).toEqual(before);
});

test("~/.local/bin on PATH is created if it does not exist", async () => {
  const { context, at } = world(true, [".local/bin"]);
  expect(await offerLink({}, context)).toBe("beckon");
  expect(readlinkSync(at(".local/bin/beckon"))).toBe(join(context.paths.app, "dist", "cli.js"));
});

test("a startup file keeps its text, its link and its line end, and its line only if the user agrees", async () => {
  const { context, at, output } = world(true, []);
  const environment = { ...context.environment, env: { ...context.environment.env, SHELL: "/bin/bash" } };
  await runInstall({ yes: true }, { ...context, environment });
  writeFileSync(at("dotfile"), "alias l=ls");
  symlinkSync(at("dotfile"), at(".bashrc"));
  await offerLink({}, { ...context, environment, confirm: async (question) => !question.startsWith("Add the line") });
  expect(readFileSync(at("dotfile"), "utf8")).toBe("alias l=ls");
  expect(output()).toContain("Until it is there, run");
  await offerLink({}, { ...context, environment });
  expect(readFileSync(at("dotfile"), "utf8")).toContain("alias l=ls\n# Added by beckon");
  expect(lstatSync(at(".bashrc")).isSymbolicLink()).toBe(true);
  expect(await runUninstall({ purge: true, yes: true }, { ...context, environment })).toBe(0);
  expect(readFileSync(at("dotfile"), "utf8")).toBe("alias l=ls\n");
});

test("a foreign beckon in ~/.local/bin stays, and nothing is offered", async () => {
  const { context, at, output } = world(true, []);
  mkdirSync(at(".local/bin"), { recursive: true });
  symlinkSync("/nowhere", at(".local/bin/beckon"));
  await offerLink({}, { ...context, confirm: () => expect.unreachable() });
  expect(output()).toContain("Instead of `beckon …`, run: ~/.beckon/app/dist/cli.js …");
  expect(await unlinkCommand(context)).toEqual([]);
});

test.each([
  ["the user declines", true, [".local/bin"]],
  ["the user declines a folder that is not on PATH", true, []],
  ["no one can be asked", false, [".local/bin"]],
])("if %s, the working form is printed", async (_, isInteractive, folders) => {
  const { context, at, output } = world(isInteractive, folders);
  expect(await runInstall({ unattended: true }, { ...context, confirm: async () => false })).toBe(0);
  expect(existsSync(at(".local/bin/beckon"))).toBe(false);
  expect(output()).toContain("Instead of `beckon …`, run: ~/.beckon/app/dist/cli.js …");
});

test("until beckon is on PATH, texts for people name the program that works", () => {
  const { context, at } = world(true, ["bin"]);
  const shown: string[] = [];
  const note = (text: string): void => void shown.push(text);
  const naming = (...args: string[]) =>
    nameWorkingCommands(args, at("clone dir/dist/cli.js"), { ...context, print: note, printError: note });
  naming("doctor").print("beckon is here.\nTo fix it: mv a b && beckon install, or `beckon config add`\n  beckon log");
  const cli = "~/'clone dir/dist/cli.js'";
  expect(shown.pop()).toBe(
    `beckon is here.\nTo fix it: mv a b && ${cli} install, or \`${cli} config add\`\n  ${cli} log`,
  );
  mkdirSync(join(context.paths.app, "dist"), { recursive: true });
  writeFileSync(join(context.paths.app, "dist", "cli.js"), "");
  naming("log").printError("For more: beckon doctor");
  expect(shown.pop()).toBe("For more: ~/.beckon/app/dist/cli.js doctor");
  for (const args of [["log"], ["doctor", "--json"]]) naming(...args).print("Bash: beckon test");
  expect(shown.splice(0)).toEqual(["Bash: beckon test", "Bash: beckon test"]);
  say("To answer one: beckon answer ID", naming("sessions"));
  expect(shown.pop()).toBe("To answer one: ~/.beckon/app/dist/cli.js answer ID");
  say("Run `beckon relay join FILE` on its machine.", naming("relay", "invite"));
  expect(shown.pop()).toBe("Run `beckon relay join FILE` on its machine.");
  mkdirSync(at("bin"));
  writeFileSync(at("bin/beckon"), "", { mode: 0o755 });
  naming("doctor").print("To fix it: beckon install");
  expect(shown.pop()).toBe("To fix it: beckon install");
  say("To fix it: beckon install", {
    ...nameWorkingCommands([], "", { ...context, paths: resolvePaths(at("two")) }),
    print: note,
  });
  expect(shown.pop()).toBe("To fix it: BECKON_HOME=~/two beckon install");
});
