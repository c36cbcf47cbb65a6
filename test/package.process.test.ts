import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAllJournal, removeRoot, repository, run } from "./world/home.ts";

let folder: string;
let files: string[];
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "beckon-pack-"));
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const packed = execFileSync("npm", pack, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [tarball] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  files = tarball.files.map(({ path }) => path);
  execFileSync("tar", ["-xzf", join(folder, tarball.filename), "-C", folder]);
}, 60_000);
afterAll(() => removeRoot(join(folder, "home", ".beckon"), folder));

test("the tarball holds exactly the files that a user needs", () => {
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

test("the tarball and its dependencies take 21 MB at most, without packages bundled in dist/", () => {
  const packages = new Set(listDependencies(folder, "package"));
  for (const name of packages)
    for (const next of listDependencies(repository, join("node_modules", name))) packages.add(next);
  const folders = [join(folder, "package"), ...[...packages].map((name) => join(repository, "node_modules", name))];
  const bytes = folders.map((path) => measureSize(path)).reduce((sum, size) => sum + size, 0);
  expect(packages).toContain("zod");
  expect(bytes / 1e6).toBeLessThan(21);
});

function listDependencies(...path: [string, string]): string[] {
  const manifest = JSON.parse(readFileSync(join(...path, "package.json"), "utf8")) as { dependencies?: object };
  return Object.keys(manifest.dependencies ?? {});
}

function measureSize(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

test("no program carries zod's translations, half of its size, which every worker would read", () => {
  const programs = files.filter((file) => /\.c?js$/.test(file) && !file.startsWith("dist/types/"));
  const german = programs.filter((file) => readFileSync(join(folder, "package", file), "utf8").includes("Ungültige"));
  expect(german).toEqual([]);
});

test("the tarball installs itself and delivers without node_modules, even with its folder deleted", async () => {
  const home = join(folder, "home");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: home };
  const install = [join(folder, "package", "dist", "cli.js"), "install", "--yes"];
  const result = await run(process.execPath, install, "", { env, cwd: home });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(result.stdout).toContain("Sample event: the hook took");
  rmSync(join(folder, "package"), { recursive: true });
  const link = join(home, "beckon");
  symlinkSync(join(home, ".beckon", "app", "dist", "cli.js"), link);
  expect(await run(link, ["log", "--limit", "1"], "", { env })).toMatchObject({ exitCode: 0, stderr: "" });
  const { hooks } = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
  const command: string = hooks.Stop[0].hooks[0].command;
  const payload = '{"hook_event_name":"Stop","session_id":"after","cwd":"/home/dev/shop"}';
  expect(await run("sh", ["-c", command], payload, { env })).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  const sessions = () => readAllJournal(join(home, ".beckon", "journal")).map(({ sessionId }) => sessionId);
  await expect.poll(sessions).toContain("after");
}, 60_000);
