import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { ended } from "../world/ended.ts";

/** Folder of Debian's Wine for 64-bit programs. The `wine` on PATH needs 32-bit libraries too. */
const programs = "/usr/lib/wine";

/** Describes what Windows' Node needs and this machine lacks, with advice; undefined if nothing is missing. */
export function missingForWine(): string | undefined {
  if (process.arch !== "x64") return `Windows' Node is for x64, and this is ${process.arch}`;
  if (existsSync(join(programs, "wine64"))) return undefined;
  return "Wine is not installed. On Debian, run scripts/install-platforms.sh.";
}

/** Files for standard output and standard error, as Wine's console accepts no pipe. */
interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the Windows path of a file on this machine. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}

/** Sets up a separate Windows 10 in a folder. @param debug channels of WINEDEBUG that go to standard error; default: none */
export async function createWine(folder: string, debug = "-all") {
  mkdirSync(join(folder, "home"), { recursive: true });
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: join(folder, "home"),
    LANG: "C.UTF-8",
    WINEPREFIX: join(folder, "prefix"),
    WINEDEBUG: debug,
    // Suppresses the questions about downloading .NET and a browser.
    WINEDLLOVERRIDES: "mscoree,mshtml=",
  };
  const wine = {
    /** Runs a program and waits for its end. Returns its exit code; `undefined` if it was killed after `maxSeconds`. */
    run(file: string, args: readonly string[], { stdout, stderr }: Streams, maxSeconds: number) {
      const stdio: ["ignore", number, number] = ["ignore", openSync(stdout, "w"), openSync(stderr, "w")];
      return ended(spawn(join(programs, "wine64"), [file, ...args], { env, stdio }), maxSeconds);
    },
    /** Ends all programs in this Wine. */
    stop: () => void spawnSync(join(programs, "wineserver64"), ["--kill"], { env }),
  };
  const log = { stdout: join(folder, "boot.txt"), stderr: join(folder, "boot-errors.txt") };
  await wine.run("wineboot", ["--init"], log, 120);
  // Node does not start on Windows 7, which Wine 8 emulates by default.
  const version = ["add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f"];
  if ((await wine.run("reg", version, log, 60)) !== 0) throw new Error("Wine could not be set up");
  return wine;
}
