import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { namespaceObstacle } from "../world/namespaces.ts";
import { rootFolder, runInRoot } from "./enter-root.ts";
import { recorded, recorderFile, recorderOfRoot } from "./inside/program-calls.ts";
import { makeRoot, missingPrograms } from "./make-root.ts";
import { compareCalls, type Platform, type World } from "./platform.ts";
import { roots } from "./roots.ts";

/** A root with programs that only record their calls, for the drivers of a platform that cannot be run here. */
interface Recording {
  readonly name: string;
  readonly standsFor: string;
  /** Name of the root. */
  readonly root: string;
  /** Absolute paths of the programs in the root. */
  readonly programs: readonly string[];
  /** True if beckon is to see a Mac. */
  readonly isMac: boolean;
  readonly env: Readonly<Record<string, string>>;
}

const ofMac = ["afplay", "launchctl", "osascript", "say"].map((name) => `/usr/bin/${name}`);
const powershell = "/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe";
const homebrew = {
  PATH: "/opt/homebrew/bin:/usr/bin:/bin",
  ...{ TERM_PROGRAM: "iTerm.app", __CFBundleIdentifier: "com.googlecode.iterm2" },
};
const wsl = { WSL_DISTRO_NAME: "Debian", PATH: `/usr/bin:/bin:${dirname(powershell)}` };
const mac = { root: "macos", isMac: true };
const recordings: readonly Recording[] = [
  { ...mac, name: "macos-programs", standsFor: "what beckon runs on a Mac", programs: ofMac, env: {} },
  {
    ...mac,
    name: "macos-terminal-notifier",
    standsFor: "what beckon runs on a Mac with Homebrew's terminal-notifier",
    programs: [...ofMac, "/opt/homebrew/bin/terminal-notifier"],
    env: homebrew,
  },
  {
    name: "wsl-programs",
    standsFor: "what beckon runs in WSL",
    root: "debian-node-22",
    programs: [powershell],
    isMac: false,
    env: wsl,
  },
];

const preload = `Object.defineProperty(process, "platform", { value: "darwin" });
process.execPath = "/usr/local/mac/node";
`;

/** Platforms whose programs' calls are compared with `test/fixtures/platforms/`. */
export const programPlatforms: readonly Platform[] = recordings.map((recording) => ({
  name: recording.name,
  standsFor: recording.standsFor,
  missing: () => namespaceObstacle() ?? missingPrograms(findRoot(recording)),
  check: async (world) =>
    (await record(recording, world)).map((result) => compareCalls(recording.name, result, world.update)),
}));

function findRoot({ root: name }: Recording) {
  const root = roots.find((root) => root.name === name);
  if (!root) throw new Error(`There is no root ${name}`);
  return root;
}

function record(recording: Recording, world: World) {
  const root = findRoot(recording);
  const own = rootFolder(world);
  makeRoot(root, own);
  for (const program of recording.programs) writeProgram(join(own, program), recorded);
  writeProgram(join(own, recorderFile), recorderOfRoot);
  writeProgram(join(own, "usr/local/mac/darwin.cjs"), preload);
  const node = "exec /opt/node/bin/node --require /usr/local/mac/darwin.cjs";
  writeProgram(join(own, "usr/local/mac/node"), `#!/bin/sh\n${node} "$@"\n`);
  const nodeOptions = recording.isMac ? ["--require", "/usr/local/mac/darwin.cjs"] : [];
  const argument = JSON.stringify(recording.env);
  return runInRoot(root, world, { phase: "record", argument, maxSeconds: 120, nodeOptions });
}

function writeProgram(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, 0o755);
}
