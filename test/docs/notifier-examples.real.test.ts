import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { installPackage } from "../real-agents/install-agents.ts";
import { builtCli, serve, startReceiver, useCliHome } from "../world/cli-home.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { repository, run } from "../world/home.ts";

// The notifiers of docs/writing-a-notifier.md, written from that page alone.

const page = readFileSync(join(repository, "docs", "writing-a-notifier.md"), "utf8");
const project = page.slice(page.indexOf("### A TypeScript project"));

/** Finds the first fenced example of a language. */
function exampleIn(text: string, language: string): string {
  const [, example] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text) ?? [];
  if (example === undefined) throw new Error(`no example in ${language}`);
  return example;
}

const home = useCliHome();
let folder: string;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => {
  receiver = await startReceiver(200);
  folder = freshFolder();
});

/** Sets up the page's TypeScript project, with the packed package but none of its dependencies. */
function setUpProject(source: string): void {
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const packed = execFileSync("npm", pack, { cwd: repository, encoding: "utf8" });
  execFileSync("tar", ["-xzf", join(folder, packed.trim()), "-C", folder]);
  mkdirSync(join(folder, "node_modules"));
  cpSync(join(folder, "package"), join(folder, "node_modules", "beckon"), { recursive: true });
  const [manifest = "", config = ""] = [...project.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  writeFileSync(join(folder, "package.json"), manifest);
  writeFileSync(join(folder, "tsconfig.json"), config);
  writeFileSync(join(folder, "lamp.ts"), source);
}

function buildProject(): string {
  execFileSync(process.execPath, [join(repository, "node_modules", "typescript", "bin", "tsc")], { cwd: folder });
  return join(folder, "dist", "lamp.js");
}

test("the TypeScript module compiles in an empty project, rings, and reports its failures", async () => {
  setUpProject(exampleIn(project, "ts"));
  const path = buildProject();
  home.config({ notifiers: { lamp: { type: "module", path, settings: { url: receiver.url, token: "t" } } } });
  const rung = await home.start(["test", "lamp"]);
  expect(rung.stdout).toMatch(/^lamp +sent/);
  expect(receiver.bodies.map((body) => JSON.parse(body))).toEqual([{ colour: "amber", text: "beckon needs you" }]);
  home.config({ notifiers: { lamp: { type: "module", path, settings: {} } } });
  expect((await home.start(["test", "lamp"])).stdout).toMatch(
    /rejected: the lamp has no address\n {2}Set `settings.url`/,
  );
  writeFileSync(path, "export const notifier = { async send() { throw new RangeError('the bulb is broken'); } };");
  expect((await home.start(["test", "lamp"])).stdout).toContain("  | RangeError: the bulb is broken");
}, 120_000);

/** First version of Node that the page names for modules in TypeScript. */
const typeStripping = { package: "node", version: "22.18.0" };

test("the TypeScript module rings unchanged from a hook on a Node that strips types", async () => {
  setUpProject(exampleIn(project, "ts"));
  const node = join((await installPackage(typeStripping)).folder, "node_modules", "node", "bin", "node");
  const settings = { url: receiver.url, token: "t" };
  home.config({ notifiers: { lamp: { type: "module", path: join(folder, "lamp.ts"), settings } } });
  mkdirSync(join(home.home, ".claude"));
  const options = { env: home.env, cwd: home.project };
  execFileSync(node, [builtCli, "install", "--agent", "claude", "--yes"], options);
  const payload = '{"hook_event_name":"Stop","session_id":"s-1","cwd":"/home/me/shop"}';
  const hook = [join(home.paths.root, "hook"), "Stop", "--agent", "claude"];
  expect(await run("sh", hook, payload, options)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  const done = expect.stringMatching(/^shop(@\S+)? · Claude Code is done$/);
  const rung = () => receiver.bodies.map((body) => JSON.parse(body));
  await expect.poll(rung, { timeout: 20_000 }).toContainEqual({ colour: "green", text: done });
}, 300_000);

test("otherwise the TypeScript module is refused, with instructions", () => {
  setUpProject(exampleIn(project, "ts"));
  home.config({ notifiers: { lamp: { type: "module", path: join(folder, "lamp.ts") } } });
  const strips = (process.features as { readonly typescript?: unknown }).typescript;
  const args = [...(strips ? ["--no-experimental-strip-types"] : []), builtCli, "test", "lamp"];
  const { status, stdout } = spawnSync(process.execPath, args, { env: home.env, cwd: home.project, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stdout).toContain(`rejected: Node ${process.version} runs no TypeScript`);
  expect(stdout.replace(/\s+/g, " ")).toMatch(/Compile it to \.mjs, or run `\S+ upgrade` with Node 22\.18 or newer/);
});

test("the Python command rings, and reports its failures", async () => {
  const broken = await serve((_, response) => void response.writeHead(500).end());
  const source = exampleIn(page, "python");
  const program = (url: string) =>
    home.write(join(home.home, "lamp"), source.replace("http://dashboard.local/messages", url), 0o700);
  home.config({ notifiers: { dashboard: { type: "command", run: [program(receiver.url)] } } });
  expect((await home.start(["test", "dashboard"])).stdout).toMatch(/^dashboard +sent/);
  expect(receiver.bodies.map((body) => JSON.parse(body))).toMatchObject([{ level: "needs-you" }]);
  program(broken.origin);
  expect((await home.start(["test", "dashboard"])).stdout).toContain("unavailable: lamp exited with code 75");
  program("no address");
  expect((await home.start(["test", "dashboard"])).stdout).toMatch(/ {2}\| ValueError: unknown url type/);
});
