import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyInstall, applyUninstall } from "../../src/installer/apply.ts";
import { editors } from "../../src/installer/editors/registry.ts";
import { isOwn } from "../../src/installer/beckon-commands.ts";
import { contentWith, keptContents, olderContent, refusedContents } from "../helpers/settings-contents.ts";
import { jobFor, own, type Specimen, specimens } from "../helpers/settings-specimens.ts";

/** A fresh home in which the settings file holds this. */
function homeWith(specimen: Specimen, content: string | Buffer | undefined, mode = 0o600) {
  const fresh = jobFor(specimen);
  const folder = dirname(fresh.path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (content !== undefined) writeFileSync(fresh.path, content, { mode });
  chmodSync(fresh.path === "" || content === undefined ? folder : fresh.path, content === undefined ? 0o700 : mode);
  const { shape } = specimen;
  const list = () =>
    editors[shape].list({ file: fresh.path, text: readFileSync(fresh.path, "utf8").replace(/^\ufeff/, ""), shape });
  return { ...fresh, folder, list, ours: () => list().filter(({ command }) => isOwn(own, command)) };
}

describe.concurrent.each(specimens.map((specimen) => [specimen.name, specimen] as const))("%s", (_, specimen) => {
  const { wanted } = specimen;
  const [event = ""] = wanted.keys();
  const installed = [...wanted].map(([name, { command, timeout }]) => ({ event: name, command, timeout }));

  test.each(keptContents(specimen))("%s: install, install again, uninstall", async (_name, content) => {
    const { paths, path, job, folder, ours } = homeWith(specimen, content);
    await applyInstall(paths, job);
    expect(new Set(ours())).toEqual(new Set(installed));
    const first = statSync(path);
    expect(first.mode & 0o777).toBe(0o600);

    expect((await applyInstall(paths, job)).changes).toBe(false);
    const second = statSync(path);
    expect([second.ino, second.mtimeMs]).toEqual([first.ino, first.mtimeMs]);

    await applyUninstall(paths, job);
    if (content === undefined) expect(existsSync(path)).toBe(false);
    else expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(folder)).toHaveLength(content === undefined ? 0 : 1);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
  });

  test("mode 0640 and a symbolic link stay", async ({ expect }) => {
    const content = contentWith(specimen, [{ command: "say done" }]);
    const { home, paths, path, job } = homeWith(specimen, undefined);
    const real = join(home, "dotfile");
    writeFileSync(real, content);
    chmodSync(real, 0o640);
    symlinkSync(real, path);
    await applyInstall(paths, job);
    expect([readlinkSync(path), statSync(real).mode & 0o777]).toEqual([real, 0o640]);
    expect(readFileSync(real, "utf8")).toContain("beckon");
    await applyUninstall(paths, job);
    expect([readFileSync(real, "utf8"), statSync(real).mode & 0o777]).toEqual([content, 0o640]);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test("older, doubled and edited entries of ours become one, in the place and with the matcher and timeout of the user", async ({
    expect,
  }) => {
    const { paths, path, job, list, ours } = homeWith(specimen, olderContent(specimen));
    await applyInstall(paths, job);
    const kept = ours().filter((entry) => entry.event === event);
    expect(kept).toEqual([{ event, command: wanted.get(event)?.command, timeout: 42 }]);
    expect(
      list()
        .map(({ command }) => (isOwn(own, command) ? "ours" : command))
        .slice(0, 3),
    ).toEqual(["say first", "ours", "say second"]);
    expect(readFileSync(path, "utf8")).toMatch(/mine[\s\S]*theirs/);
    await applyInstall(paths, job);
    await applyUninstall(paths, job);
    expect(list().map(({ command }) => command)).toEqual(["say first", "say second"]);
    expect(readFileSync(path, "utf8")).toContain("theirs");
  });

  test.each(refusedContents(specimen))(
    "%s is refused with the place, and untouched",
    async (_name, content, code, words) => {
      const { paths, path, job, folder } = homeWith(specimen, content);
      const before = statSync(path);
      await expect(applyInstall(paths, job)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
      const after = statSync(path);
      expect([after.ino, after.mtimeMs, after.size]).toEqual([before.ino, before.mtimeMs, before.size]);
      expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
      expect([readdirSync(folder), existsSync(join(paths.state, "installs"))]).toEqual([
        [path.split("/").at(-1)],
        false,
      ]);
    },
  );

  test("a read-only file is refused and untouched", async ({ expect }) => {
    const content = contentWith(specimen, [{ command: "say done" }]);
    const { paths, path, job } = homeWith(specimen, content, 0o444);
    await expect(applyInstall(paths, job)).rejects.toMatchObject({ code: "settings.read-only" });
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([content, 0o444]);
  });

  test("without a record an uninstall leaves foreign hooks as they were", async ({ expect }) => {
    const content = contentWith(specimen, [{ command: "say done" }, { command: "say more", matcher: "x" }]);
    const { paths, path, job } = homeWith(specimen, content);
    await applyInstall(paths, job);
    await applyUninstall({ ...paths, state: join(paths.root, "elsewhere") }, job);
    expect(readFileSync(path, "utf8")).toBe(content);
  });
});
