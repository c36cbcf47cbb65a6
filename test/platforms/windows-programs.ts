import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installPackage } from "../real-agents/install-agents.ts";
import { compareCalls } from "./compare-calls.ts";
import { recorderOfWindows, windowsPowershell } from "./inside/program-calls.ts";
import type { CheckResult } from "./inside/result.ts";
import { type Platform, readResults, type World } from "./platform.ts";
import { checksProgram } from "./stage.ts";
import { createWine, missingForWine, windowsPath } from "./wine.ts";

const name = "windows-programs";
const profile = "C:\\users\\Jörg Müller";
const maxSeconds = 240;
/**
 * Package that makes a Node program from a script:
 * https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
 */
const postject = { package: "postject", version: "1.0.0-alpha.6" };
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Platform whose Windows programs are called by the real Node of Windows, under Wine, which lacks PowerShell. */
export const windowsProgramPlatform: Platform = {
  name,
  standsFor: "what beckon runs on Windows",
  missing: missingForWine,
  check: async (world) => (await record(world)).map((result) => compareCalls(name, result, world.update)),
};

async function record(world: World): Promise<readonly CheckResult[]> {
  const wine = await createWine(world.folder);
  try {
    const powershell = join(world.folder, "prefix", "drive_c", ...windowsPowershell.split("\\").slice(1));
    mkdirSync(dirname(powershell), { recursive: true });
    copyFileSync(await makeRecorder(world), powershell);
    const streams = { stdout: join(world.folder, "record.jsonl"), stderr: join(world.folder, "record.txt") };
    const node = join(await world.nodeOf("windows"), "bin", "node.exe");
    const args = [windowsPath(join(world.beckon, checksProgram)), "record", profile, "{}"];
    return readResults(streams, await wine.run(node, args, streams, maxSeconds));
  } finally {
    wine.stop();
  }
}

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
