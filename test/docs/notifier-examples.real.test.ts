import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome, startReceiver } from "../cli/cli-home.ts";
import { repository } from "../helpers/home.ts";

// The notifiers of docs/writing-a-notifier.md, written by that page alone.

const page = readFileSync(join(repository, "docs", "writing-a-notifier.md"), "utf8");
const project = page.slice(page.indexOf("### A TypeScript project"));

/** The first fenced example of a language. */
function exampleIn(text: string, language: string): string {
  const [, example] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text) ?? [];
  if (example === undefined) throw new Error(`no example in ${language}`);
  return example;
}

let home: CliHome;
let folder: string;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => {
  home = createCliHome();
  receiver = await startReceiver(200);
  folder = mkdtempSync(join(tmpdir(), "beckon-lamp-"));
});
afterEach(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
  home.remove();
});

/** Builds the page's TypeScript project: the packed package with what it depends on, and nothing of its own. */
function buildProject(source: string): string {
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: repository,
    encoding: "utf8",
  });
  execFileSync("tar", ["-xzf", join(folder, packed.trim()), "-C", folder]);
  mkdirSync(join(folder, "node_modules"));
  cpSync(join(folder, "package"), join(folder, "node_modules", "beckon"), { recursive: true });
  symlinkSync(join(repository, "node_modules", "zod"), join(folder, "node_modules", "zod"));
  const [manifest = "", config = ""] = [...project.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  writeFileSync(join(folder, "package.json"), manifest);
  writeFileSync(join(folder, "tsconfig.json"), config);
  writeFileSync(join(folder, "lamp.ts"), source);
  execFileSync(process.execPath, [join(repository, "node_modules", "typescript", "bin", "tsc")], { cwd: folder });
  return join(folder, "dist", "lamp.js");
}

test("the module in TypeScript compiles in an empty project, rings, and says why it fails", async () => {
  const source = exampleIn(project, "ts");
  const path = buildProject(source);
  home.config({ notifiers: { lamp: { type: "module", path, settings: { url: receiver.url, token: "t" } } } });
  const rung = await home.start(["test"]);
  expect(rung.stdout).toMatch(/^lamp +sent/);
  expect(receiver.bodies.map((body) => JSON.parse(body))).toEqual([{ colour: "amber", text: "beckon needs you" }]);
  home.config({ notifiers: { lamp: { type: "module", path, settings: {} } } });
  expect((await home.start(["test"])).stdout).toMatch(/rejected: the lamp has no address\n {2}Set `settings.url`/);
  writeFileSync(path, "export const notifier = { async send() { throw new RangeError('the bulb is broken'); } };");
  expect((await home.start(["test"])).stdout).toContain("  | RangeError: the bulb is broken");
}, 120_000);

test("the command in Python rings, and says why it fails", async () => {
  const server = createServer((_, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const source = exampleIn(page, "python");
  const program = (url: string) =>
    home.write(join(home.home, "lamp"), source.replace("http://dashboard.local/messages", url), 0o700);
  home.config({ notifiers: { dashboard: { type: "command", run: [program(receiver.url)] } } });
  expect((await home.start(["test"])).stdout).toMatch(/^dashboard +sent/);
  expect(receiver.bodies.map((body) => JSON.parse(body))).toMatchObject([{ level: "needs-you" }]);
  program(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect((await home.start(["test"])).stdout).toContain("unavailable: lamp exited with code 75");
  program("no address");
  expect((await home.start(["test"])).stdout).toMatch(/ {2}\| ValueError: unknown url type/);
  server.close();
});
