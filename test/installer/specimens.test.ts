import fs, { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { applyInstall, applyUninstall } from "../../src/installer/apply.ts";
import { isBeckonCommand } from "../../src/installer/beckon-commands.ts";
import { editors } from "../../src/installer/editors/registry.ts";
import { contentWith, keptContents, olderContent, refusedContents } from "./settings-contents.ts";
import { beckonCommands, type Specimen, specimens, taskFor } from "./settings-specimens.ts";

/** Makes a new home folder whose settings file has this content. */
function homeWith(specimen: Specimen, content: string | Buffer | undefined, mode = 0o600) {
  const fresh = taskFor(specimen);
  const folder = dirname(fresh.path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (content !== undefined) writeFileSync(fresh.path, content, { mode });
  const { shape } = specimen;
  const list = () =>
    editors[shape].list({ path: fresh.path, text: readFileSync(fresh.path, "utf8").replace(/^\ufeff/, ""), shape });
  const ours = () => list().filter(({ command }) => isBeckonCommand(beckonCommands, command));
  return { ...fresh, folder, list, ours };
}

/** Number of homes in progress at once, so that they wait for their copies and for half-written files together. */
const atOnce = 32;

/** Tries every case. Returns the names of those that fail. */
async function listProblems<Case>(cases: readonly (readonly [string, Case])[], check: (each: Case) => Promise<void>) {
  const problems: string[] = [];
  for (let start = 0; start < cases.length; start += atOnce) {
    const chunk = cases.slice(start, start + atOnce).map(async ([name, each]) => {
      await check(each).catch((error: unknown) => problems.push(`${name}: ${String(error)}`));
    });
    await Promise.all(chunk);
  }
  return problems;
}

const each = specimens.map((specimen) => [specimen.name, specimen] as const);
const refused = specimens.flatMap((specimen) =>
  refusedContents(specimen).map(
    ([name, content, code, words]) => [`${specimen.name}, ${name}`, { specimen, content, code, words }] as const,
  ),
);

test.each(each)("%s: an install, a repeat and an uninstall restore every content", async (_, specimen) => {
  vi.stubEnv("PATH", "/nowhere"); // without `cp`, whose copies of attributes other tests check
  const installed = [...specimen.wanted].map(([event, { command, timeout }]) => ({ event, command, timeout }));
  const problems = await listProblems(keptContents(specimen), async (content) => {
    const { paths, path, task, folder, ours } = homeWith(specimen, content);
    await applyInstall(paths, task);
    expect(new Set(ours())).toEqual(new Set(installed));
    const first = statSync(path);
    expect(first.mode & 0o777).toBe(0o600);

    expect((await applyInstall(paths, task)).changes).toBe(false);
    const second = statSync(path);
    expect([second.ino, second.mtimeMs]).toEqual([first.ino, first.mtimeMs]);

    await applyUninstall(paths, task);
    if (content === undefined) expect(existsSync(path)).toBe(false);
    else expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(folder)).toHaveLength(content === undefined ? 0 : 1);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
  });
  expect(problems).toEqual([]);
});

test("mode 0640 and a symbolic link stay", async () => {
  const problems = await listProblems(each, async (specimen) => {
    const content = contentWith(specimen, [{ command: "say done" }]);
    const { home, paths, path, task } = homeWith(specimen, undefined);
    const real = join(home, "dotfile");
    writeFileSync(real, content);
    fs.chmodSync(real, 0o640);
    fs.symlinkSync(real, path);
    await applyInstall(paths, task);
    expect([fs.readlinkSync(path), statSync(real).mode & 0o777]).toEqual([real, 0o640]);
    expect(readFileSync(real, "utf8")).toContain("beckon");
    await applyUninstall(paths, task);
    expect([readFileSync(real, "utf8"), statSync(real).mode & 0o777]).toEqual([content, 0o640]);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });
  expect(problems).toEqual([]);
});

test("older, doubled and edited entries become one with the user's position, matcher and timeout", async () => {
  const problems = await listProblems(each, async (specimen) => {
    const [event = ""] = specimen.wanted.keys();
    const { paths, path, task, list, ours } = homeWith(specimen, olderContent(specimen));
    await applyInstall(paths, task);
    const left = ours().filter((entry) => entry.event === event);
    expect(left).toEqual([{ event, command: specimen.wanted.get(event)?.command, timeout: 42 }]);
    const commands = list().map(({ command }) => (isBeckonCommand(beckonCommands, command) ? "ours" : command));
    expect(commands.slice(0, 3)).toEqual(["say first", "ours", "say second"]);
    expect(readFileSync(path, "utf8")).toMatch(/mine[\s\S]*theirs/);
    await applyInstall(paths, task);
    await applyUninstall(paths, task);
    expect(list().map(({ command }) => command)).toEqual(["say first", "say second"]);
    expect(readFileSync(path, "utf8")).toContain("theirs");
  });
  expect(problems).toEqual([]);
});

test("a content that cannot be edited is refused with its position, and untouched", async () => {
  const problems = await listProblems(refused, async ({ specimen, content, code, words }) => {
    const { paths, path, task, folder } = homeWith(specimen, content);
    const before = statSync(path);
    await expect(applyInstall(paths, task)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    const after = statSync(path);
    expect([after.ino, after.mtimeMs, after.size]).toEqual([before.ino, before.mtimeMs, before.size]);
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(folder)).toEqual([path.split("/").at(-1)]);
    expect(existsSync(join(paths.state, "installs"))).toBe(false);
  });
  expect(problems).toEqual([]);
});

test("a read-only file is refused and untouched", async () => {
  const problems = await listProblems(each, async (specimen) => {
    const content = contentWith(specimen, [{ command: "say done" }]);
    const { paths, path, task } = homeWith(specimen, content, 0o444);
    await expect(applyInstall(paths, task)).rejects.toMatchObject({ code: "settings.read-only" });
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([content, 0o444]);
  });
  expect(problems).toEqual([]);
});

test("without a record an uninstall leaves other hooks unchanged", async () => {
  const problems = await listProblems(each, async (specimen) => {
    const content = contentWith(specimen, [{ command: "say done" }, { command: "say more", matcher: "x" }]);
    const { paths, path, task } = homeWith(specimen, content);
    await applyInstall(paths, task);
    await applyUninstall({ ...paths, state: join(paths.root, "elsewhere") }, task);
    expect(readFileSync(path, "utf8")).toBe(content);
  });
  expect(problems).toEqual([]);
});
