import { execFileSync } from "node:child_process";
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { installable } from "../../src/installer/agents/installable.ts";
import { isPluginAgent } from "../../src/installer/plugins/plugin-files.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { type Home, homeAt, removeRoot, repository, run } from "../world/home.ts";

const agents = installable
  .filter(isPluginAgent)
  .map(({ name, plugin: { folderVariable } }) => ({ name, folderVariable }));
const byName = agents.map((agent) => [agent.name, agent] as const);
const messages = () => readFileSync(join(user, "calls.jsonl"), "utf8").trim().split("\n");

let packages: string;
let user: string;
let home: Home;
beforeAll(() => {
  packages = join(mkdtempSync(join(fs.realpathSync(tmpdir()), "packages with blanks ")), "packages");
  const build = ["--import", "tsx", "scripts/build-packages.ts", "--out", packages];
  execFileSync(process.execPath, build, { cwd: repository, stdio: "ignore" });
}, 120_000);
afterAll(() => rmSync(packages, { recursive: true }));
beforeEach(() => {
  user = freshFolder();
  mkdirSync(join(user, "shop"));
  home = homeAt(join(user, ".beckon"), user);
});
afterEach(() => removeRoot(home.paths.root));

/** Configures a notifier that writes a line for each message, in a folder without other files. */
function writeConfig(): void {
  mkdirSync(home.paths.root, { mode: 0o700 });
  const notifiers = { calls: { type: "file", path: join(user, "calls.jsonl") } };
  const routes = [{ kinds: ["finished"], to: ["calls"] }];
  home.writeConfig({ notifiers, routes, attention: { wait: "0s" } });
}

/** Builds the plugin's command for an event, as the agent runs it. */
function commandFor({ name, folderVariable }: (typeof agents)[number], event: RegExp): string {
  const folder = join(packages, name, "beckon");
  const { hooks } = JSON.parse(readFileSync(join(folder, "hooks/hooks.json"), "utf8"));
  const [, [group]] = Object.entries(hooks).find(([found]) => event.test(found)) as [string, [{ hooks: Hook[] }]];
  return (group.hooks[0]?.command ?? "").replace(folderVariable, folder);
}
interface Hook {
  readonly command: string;
}

const stop = /^(Stop|AfterAgent)$/;
const payload = JSON.stringify({ session_id: "s-1", cwd: "/srv/shop", last_assistant_message: "Done." });
const agentRuns = (command: string) =>
  run("/bin/sh", ["-c", command], payload, { cwd: join(user, "shop"), env: { ...home.env, BECKON_HOME: undefined } });

test.each(byName)("the first hook of %s's plugin sets beckon up, and its event rings", async (_, agent) => {
  writeConfig();
  const stdout = installable.find(({ name }) => name === agent.name)?.neutralReply ?? "";
  expect(await agentRuns(commandFor(agent, stop))).toMatchObject({ exitCode: 0, stdout, stderr: "" });
  await home.until((journal) => journal.some(({ status }) => status === "sent"), 20_000);
  expect(messages()).toHaveLength(1);
  expect(existsSync(home.paths.launcher)).toBe(true);
  expect(readdirSync(user).sort()).toEqual([".beckon", "calls.jsonl", "shop"]);
});

test.each(byName)("an event that both %s's plugin and its settings send rings once", async (_, agent) => {
  writeConfig();
  await agentRuns(commandFor(agent, /^SessionEnd$/)); // sets beckon up
  await home.until((journal) => journal.length > 0, 20_000);
  const command = commandFor(agent, stop);
  const installed = command.replace(/^sh ".*"/, "~/.beckon/hook").replace(" 2>/dev/null", "");
  await Promise.all([agentRuns(command), agentRuns(installed)]);
  const isRepeat = ({ reason }: { readonly reason?: string }) => reason === "a repeat within two seconds";
  const isSent = ({ status }: { readonly status: string }) => status === "sent";
  const journal = await home.until((lines) => lines.some(isRepeat) && lines.some(isSent), 20_000);
  expect(journal.filter(isSent)).toHaveLength(1);
  expect(messages()).toHaveLength(1);
});

test("every plugin holds the licences of its bundled packages", () => {
  const hasNotices = ({ name }: { readonly name: string }) =>
    existsSync(join(packages, name, "beckon", "dist", "THIRD-PARTY-NOTICES"));
  expect(agents.filter((agent) => !hasNotices(agent))).toEqual([]);
});

test("several first hooks at once lose no event", async () => {
  writeConfig();
  const command = commandFor(agents[0] ?? expect.fail("no agent takes plugins"), stop);
  await Promise.all(Array.from({ length: 8 }, () => agentRuns(command)));
  const journal = await home.until((lines) => lines.filter(({ status }) => status !== "accepted").length >= 8, 20_000);
  expect(journal.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(messages()).toHaveLength(1);
});

test.each(byName)("%s gets no output from a plugin that is being removed", async (_, agent) => {
  const command = commandFor(agent, stop);
  const folder = join(packages, agent.name);
  renameSync(folder, `${folder}.gone`);
  const result = await agentRuns(command);
  renameSync(`${folder}.gone`, folder);
  expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  expect(readdirSync(user)).toEqual(["shop"]);
});

test("npx installs from the tarball without a registry, and what it installed needs nothing else", async () => {
  mkdirSync(join(user, ".claude"));
  writeConfig();
  copyFileSync(tarball(), join(user, "beckon.tgz"));
  const env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, HOME: user };
  const away = { ...env, npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" };
  const result = await run("npx", ["--yes", "./beckon.tgz", "install", "--yes"], "", { env: away, cwd: user });
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Sample event:") });
  for (const path of ["beckon.tgz", ".npm"]) rmSync(join(user, path), { recursive: true });
  const cli = join(home.paths.app, "dist", "cli.js");
  expect(await run(cli, ["log", "--limit", "1"], "", { env })).toMatchObject({ exitCode: 0, stderr: "" });
  const { hooks } = JSON.parse(readFileSync(join(user, ".claude", "settings.json"), "utf8"));
  expect(await agentRuns(hooks.Stop[0].hooks[0].command)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  await home.until((journal) => journal.some(({ sessionId, status }) => sessionId === "s-1" && status === "sent"));
}, 60_000);

const tarball = () => join(packages, `beckon-${manifest.version}.tgz`);
const listTarball = () =>
  execFileSync("tar", ["-tzf", tarball()], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((file) => file.replace(/^package\//, ""));

test("the tarball holds exactly the files that a user needs", () => {
  const files = listTarball();
  const documents = /^(AGENTS|CHANGELOG|CONTRIBUTING|README|RELEASE|SECURITY)\.md$/;
  const expected = [/^(dist|docs|templates)\//, documents, /^LICENSE$/, /^package\.json$/];
  expect(files.filter((file) => !expected.some((pattern) => pattern.test(file)))).toEqual([]);
  expect(files.filter((file) => /\.(ts|map)$/.test(file) && !file.endsWith(".d.ts"))).toEqual([]);
  const programs = ["dist/cli.js", "dist/worker.cjs", "dist/hooks/hook.sh", "dist/hooks/stop.cjs"];
  const others = [
    "dist/THIRD-PARTY-NOTICES",
    "dist/bom.cdx.json",
    "templates/config.jsonc",
    "templates/icons/failed.png",
  ];
  expect(files).toEqual(expect.arrayContaining([...programs, ...others]));
});

test("no program carries zod's translations, half of its size, which every worker would read", () => {
  const programs = listTarball().filter((file) => /^dist\/(?!types\/).*\.c?js$/.test(file));
  const german = programs.filter((file) => readFileSync(join(repository, file), "utf8").includes("Ungültige"));
  expect([german, programs.length > 20]).toEqual([[], true]);
});
