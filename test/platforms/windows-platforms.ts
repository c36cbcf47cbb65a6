import { join } from "node:path";
import type { CheckResult } from "./inside/result.ts";
import { type Platform, readResults, type World } from "./platform.ts";
import { checksProgram } from "./stage.ts";
import { createWine, missingForWine, windowsPath } from "./wine.ts";

const maxSeconds = 540;

/** Folders of profiles, and the checks for each; an empty text stands for all checks. */
const profiles = [
  { name: "windows", folder: "C:\\users\\Jörg Müller", checks: "" },
  {
    name: "windows-odd-profile",
    folder: "C:\\users\\R&D 50% größer",
    checks: "write|writes|is gone|bytes back|silent",
  },
] as const;

/** Platforms with the real Node of Windows, under Wine. */
export const windowsPlatforms: readonly Platform[] = profiles.map(({ name, folder: profile, checks }) => ({
  name,
  standsFor: `Windows 10, profile ${profile}`,
  missing: missingForWine,
  check: (world) => runChecks(profile, world, world.checks || checks),
}));

async function runChecks(profile: string, world: World, checks: string): Promise<readonly CheckResult[]> {
  const wine = await createWine(world.folder);
  try {
    const streams = { stdout: join(world.folder, "check.jsonl"), stderr: join(world.folder, "check.txt") };
    const node = join(await world.nodeOf("windows"), "bin", "node.exe");
    const args = [windowsPath(join(world.beckon, checksProgram)), "check", profile, checks];
    return readResults(streams, await wine.run(node, args, streams, maxSeconds));
  } finally {
    wine.stop();
  }
}
