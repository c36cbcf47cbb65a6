import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installPackage } from "../real-agents/install-agents.ts";
import { recorderOfWindows, windowsPowershell } from "./inside/program-calls.ts";
import { compareCalls, type Platform, readResults, type World } from "./platform.ts";
import { checksProgram } from "./stage.ts";
import { createWine, missingForWine, windowsPath } from "./wine.ts";

const usualProfile = "C:\\users\\Jörg Müller";
/** Folders of profiles, and the checks for each; an empty text stands for all checks. */
const profiles = [
  { name: "windows", folder: usualProfile, checks: "" },
  {
    name: "windows-odd-profile",
    folder: "C:\\users\\R&D 50% größer",
    checks: "write|writes|is gone|bytes back|silent",
  },
] as const;

const programs = "windows-programs";
/** Platforms with the real Node of Windows, under Wine, which lacks PowerShell: the last one calls Windows programs. */
export const windowsPlatforms: readonly Platform[] = [
  ...profiles.map(({ name, folder, checks }) => ({
    name,
    standsFor: `Windows 10, profile ${folder}`,
    missing: missingForWine,
    check: (world: World) => runChecks(world, ["check", folder, world.checks || checks], 540),
  })),
  {
    name: programs,
    standsFor: "what beckon runs on Windows",
    missing: missingForWine,
    async check(world) {
      const powershell = join(world.folder, "prefix", "drive_c", ...windowsPowershell.split("\\").slice(1));
      const prepare = async () => {
        mkdirSync(dirname(powershell), { recursive: true });
        copyFileSync(await makeRecorder(world), powershell);
      };
      const results = await runChecks(world, ["record", usualProfile, "{}"], 240, prepare);
      return results.map((result) => compareCalls(programs, result, world.update));
    },
  },
];

/** Runs the checks' program in a new Wine, after `prepare`. Returns the results. */
async function runChecks(world: World, args: readonly string[], maxSeconds: number, prepare = async () => {}) {
  const wine = await createWine(world.folder);
  try {
    await prepare();
    const streams = { stdout: join(world.folder, `${args[0]}.jsonl`), stderr: join(world.folder, `${args[0]}.txt`) };
    const node = join(await world.nodeOf("windows"), "bin", "node.exe");
    const program = windowsPath(join(world.beckon, checksProgram));
    return readResults(streams, await wine.run(node, [program, ...args], streams, maxSeconds));
  } finally {
    wine.stop();
  }
}

/**
 * Package that makes a Node program from a script:
 * https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
 */
const postject = { package: "postject", version: "1.0.0-alpha.6" };
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Makes a Windows program that records its calls. Returns its path. */
async function makeRecorder({ folder, nodeOf }: World): Promise<string> {
  const run = promisify(execFile);
  const file = (extension: string) => join(folder, `recorder.${extension}`);
  writeFileSync(file("cjs"), recorderOfWindows);
  writeFileSync(
    file("json"),
    JSON.stringify({ main: file("cjs"), output: file("blob"), disableExperimentalSEAWarning: true }),
  );
  await run(join(await nodeOf("20"), "bin", "node"), ["--experimental-sea-config", file("json")]);
  copyFileSync(join(await nodeOf("windows"), "bin", "node.exe"), file("exe"));
  const cli = join((await installPackage(postject)).folder, "node_modules", "postject", "dist", "cli.js");
  await run(process.execPath, [cli, file("exe"), "NODE_SEA_BLOB", file("blob"), "--sentinel-fuse", fuse]);
  return file("exe");
}
