import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { installable } from "../../../../src/installer/agents/installable.ts";
import { useCliHome } from "../../../world/cli-home.ts";
import { collectFailures } from "../../../world/collect-failures.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";

const home = useCliHome();
beforeEach(() => {
  installHealthy(home);
  mkdirSync(home.paths.state, { mode: 0o700, recursive: true });
});

const folders = ["spool", "spool/tmp", "spool/new", "spool/cur", "spool/dead", "state", "journal", "relay"];
/** Things that may be in a folder's place. */
const forms: Readonly<Record<string, (path: string) => void>> = {
  "a file": (path) => writeFileSync(path, "x", { mode: 0o600 }),
  "a pipe": (path) => execFileSync("mkfifo", ["-m", "600", path]),
  "a link to a file": (path) => symlinkSync(home.paths.config, path),
  "a dangling link": (path) => symlinkSync("/nowhere", path),
};
const variants = folders.flatMap((folder) => Object.keys(forms).map((form) => [`${folder} is ${form}`, folder, form]));
type Variant = readonly string[];

/** Replaces a folder with something else while `look` runs. */
async function misplace([, folder = "", form = ""]: Variant, look: (path: string) => Promise<void>): Promise<void> {
  const path = join(home.paths.root, folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const aside = join(home.home, "aside");
  renameSync(path, aside);
  try {
    forms[form]?.(path);
    await look(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
    rmSync(`${path}.old`, { force: true });
    renameSync(aside, path);
  }
}

describe("a folder replaced by another thing", () => {
  test("doctor names it with a working cure, and reports other results", async () => {
    const check = (variant: Variant) =>
      misplace(variant, async (path) => {
        const { exitCode, results } = await runChecks(home);
        const found = results.find(({ name }) => name === "folders");
        expect(found).toMatchObject({ status: "fail", detail: expect.stringContaining(path) });
        expect(exitCode).toBe(1);
        execFileSync("sh", ["-c", found?.cure?.replace("Put a folder in its place: ", "") ?? ""]);
        for (const name of ["tmp", "new", "cur", "dead"])
          mkdirSync(join(home.paths.spool, name), { recursive: true, mode: 0o700 });
        const after = (await runChecks(home)).results;
        expect(problemsIn(after).filter((line) => line.startsWith("fail"))).toEqual([]);
      });
    expect(await collectFailures(variants, check)).toEqual([]);
  });

  test("status, flush and retry name it with its cure", async () => {
    const check = (variant: Variant) =>
      misplace(variant, async (path) => {
        for (const command of ["status", "flush", "retry --failed"]) {
          const { stdout, stderr } = await home.run(command.split(" "));
          expect(`${stdout}${stderr}`.replaceAll("~", home.home)).toContain(`Put a folder in its place: `);
          expect(`${stdout}${stderr}`.replaceAll("~", home.home)).toContain(path);
        }
      });
    expect(await collectFailures(variants, check)).toEqual([]);
  });
});

test("an error in one check is a separate result, and the other checks still report", async () => {
  rmSync(home.paths.worker);
  const agents = installable.filter(({ name }) => name === "claude");
  const broken = agents.map((agent) => ({
    ...agent,
    settings: Object.defineProperty({ ...agent.settings }, "defaultEvents", {
      get: () => {
        throw new TypeError("no such table");
      },
    }),
  }));
  const { exitCode, results } = await runChecks(home, { agents: broken });
  const found = problemsIn(results);
  expect(found).toContainEqual(expect.stringMatching(/^fail doctor: a check crashed: no such table \| .+/));
  expect(found).toContainEqual(expect.stringMatching(/^fail worker program: /));
  expect(exitCode).toBe(1);
});

test("a root or app other than a folder is named once, with a working cure", async () => {
  const rows = [
    ["root", home.paths.root, /^fail folders: .*\.beckon must be a folder: events .* \| .*mv .* && beckon install$/],
    ["app", home.paths.app, /^fail folders: .*app must be a folder: events wait in the spool \| beckon install$/],
  ] as const;
  const check = async ([, path, expected]: (typeof rows)[number]) => {
    renameSync(path, join(home.home, "aside"));
    writeFileSync(path, "x", { mode: 0o644 });
    const { exitCode, results } = await runChecks(home);
    expect((await home.run(["status"])).stdout).toMatch(/^Agents$/m);
    rmSync(path);
    renameSync(join(home.home, "aside"), path);
    const about = problemsIn(results).filter((line) => line.includes("must be a folder"));
    expect(about).toEqual([expect.stringMatching(expected)]);
    expect(problemsIn(results).join()).not.toContain("broke off");
    expect(exitCode).toBe(1);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("mounts", () => {
  async function mounted(folder: string, options: string, look: () => Promise<void>): Promise<void> {
    execFileSync("mount", ["--bind", folder, folder]);
    try {
      execFileSync("mount", ["-o", `remount,bind,${options}`, folder]);
      await look();
    } finally {
      execFileSync("umount", ["-l", folder]);
    }
  }

  test("a read-only folder is a problem for doctor and status", async () => {
    home.fresh("event-0001");
    home.addDeadLetter("event-0002");
    const places = [home.paths.root, dirname(home.paths.root), home.paths.spool, join(home.paths.spool, "cur")];
    const check = (folder: string) =>
      mounted(folder, "ro", async () => {
        const { exitCode, results } = await runChecks(home);
        const expected = /^fail storing: events cannot be stored in .*: its file system is read-only .* \| Mount /;
        expect(problemsIn(results)).toContainEqual(expect.stringMatching(expected));
        expect(exitCode).toBe(1);
        expect((await home.run(["status"])).stdout).toMatch(/✗ events cannot be stored in /);
        for (const command of [["flush"], ["retry", "--failed"]]) {
          const { exitCode: code, stderr } = await home.run(command);
          expect([code, stderr]).toEqual([1, expect.stringMatching(/events cannot be stored in .*\n {2}Mount the/)]);
        }
      });
    expect(await collectFailures([...places, home.paths.journal, home.paths.state], check)).toEqual([]);
  });

  test("a full disk is one problem, and no check crashes", async () => {
    const { root } = home.paths;
    const copy = join(home.home, "copy");
    execFileSync("cp", ["-a", root, copy]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "mode=700,size=16m", "tmpfs", root]);
    try {
      execFileSync("cp", ["-a", `${copy}/.`, root]);
      spawnSync("dd", ["if=/dev/zero", `of=${join(root, "fill")}`, "bs=64k"]);
      const expected = /^fail storing: .*: the disk is full \(ENOSPC\) \| Make room on that disk\.$/;
      expect(problemsIn((await runChecks(home)).results)).toEqual([expect.stringMatching(expected)]);
    } finally {
      execFileSync("umount", ["-l", root]);
    }
  });

  test("an immutable or append-only folder is a problem with a working cure", async () => {
    const places = ["tmp", "new", "cur"].map((name) => join(home.paths.spool, name));
    const rows = places.flatMap((folder) => ["+i", "+a"].map((flag) => [`${folder} ${flag}`, folder, flag] as const));
    const check = async ([, folder, flag]: (typeof rows)[number]) => {
      execFileSync("chattr", [flag, folder]);
      try {
        const { results } = await runChecks(home);
        const found = results.find(({ name }) => name === "storing");
        expect(found).toMatchObject({ status: "fail", detail: expect.stringMatching(/does not allow it \(EPERM\)/) });
        const cure = /sudo (find .*?)\. Or/.exec(found?.cure ?? "")?.[1] ?? "false";
        execFileSync("sh", ["-c", cure]);
        expect((await runChecks(home)).results.find(({ name }) => name === "storing")?.status).toBe("ok");
      } finally {
        execFileSync("chattr", ["-i", "-a", folder]);
      }
    };
    expect(await collectFailures(rows, check)).toEqual([]);
  });

  test("a home mounted without program execution is a problem, and its cure is not chmod", async () => {
    await mounted(home.paths.root, "noexec", async () => {
      const { results } = await runChecks(home);
      const expected = /^fail launcher: .*cannot run, .*noexec.* \| Mount it without noexec, or move it: mv /;
      expect(problemsIn(results)).toEqual([expect.stringMatching(expected)]);
      const said = (await home.run(["status"])).stdout.replace(/\s+/g, " ");
      expect(said).toContain("hook cannot run, because its file system is mounted noexec");
      expect(said).toContain("Mount it without noexec");
    });
    expect((await home.run(["status"])).stdout).not.toContain("✗");
  });
});

describe("a settings file that the installer refuses", () => {
  const settings = () => join(home.home, ".claude", "settings.json");
  const rows: readonly (readonly [string, () => unknown, RegExp])[] = [
    [
      "is read-only",
      () => chmodSync(settings(), 0o444),
      /settings\.json: read-only \| Make it writable, or add .* Then: /,
    ],
    [
      "is a link to a read-only file",
      () => {
        renameSync(settings(), join(home.home, "store.json"));
        chmodSync(join(home.home, "store.json"), 0o444);
        symlinkSync(join(home.home, "store.json"), settings());
      },
      /settings\.json: read-only \| Make it writable/,
    ],
    [
      "is not UTF-8",
      () => writeFileSync(settings(), Buffer.from([0x7b, 0xff, 0x7d])),
      /^fail Claude Code: settings: .*not UTF-8 at line 1, column 2/,
    ],
  ];

  test("doctor repeats the installer's reason instead of just naming the installer as the cure", async () => {
    const check = async ([, make, expected]: (typeof rows)[number]) => {
      rmSync(settings(), { force: true });
      writeFileSync(settings(), "{}", { mode: 0o600 });
      make();
      const { results } = await runChecks(home);
      const refused = await home.run(["install", "--agent", "claude", "--yes", "--dry-run"]);
      expect(refused.exitCode).toBe(1);
      expect(problemsIn(results)).toContainEqual(expect.stringMatching(expected));
    };
    expect(await collectFailures(rows, check)).toEqual([]);
  });
});
