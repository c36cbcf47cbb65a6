import { dirname, join } from "node:path";
import { type Paths, resolvePaths } from "../files/paths.ts";
import { readQuietly } from "../files/read-file.ts";
import { defaultRoot, nodeStart, shellWord } from "./agents/command-line.ts";
import { allRecords, type InstallPaths, type InstallRecord } from "./record.ts";

/** Command lines that identify beckon's entries. Created by `createBeckonCommands`. */
export interface BeckonCommands {
  /** Commands that beckon wrote, according to the install records. */
  readonly exact: ReadonlySet<string>;
  /** Beginnings of beckon's command lines: each known launcher in its possible shell spellings. */
  readonly starts: readonly string[];
  /** Ends of the command lines that start beckon's MCP server. */
  readonly servers?: readonly string[];
}

// The user may have removed or rewritten the guard at the end.
const launcherLine = /^ [A-Za-z][\w.-]* --agent [a-z][\w-]*(?: --[a-z]+ [\w.]+)*(?: \|\| (?::|true))?$/;
const nodeLine =
  /^\/dist\/hooks\/[a-z-]+\.cjs'\)\}catch\{\}" -- --agent [a-z][\w-]*(?: --[a-z]+ [\w.]+)*(?: ; exit 0)?$/;

/**
 * Collects the facts by which `isBeckonCommand` recognizes beckon's command lines: recorded commands, and known
 * launchers. A command line that only mentions beckon does not count.
 */
export function createBeckonCommands(known: {
  readonly commands: Iterable<string>;
  /** Absolute paths of launchers and of the `app` folders next to them. */
  readonly roots: Iterable<Pick<Paths, "launcher" | "app">>;
}): BeckonCommands {
  const roots = [...known.roots];
  const starts = roots.flatMap(({ launcher, app }) => [
    launcher,
    shellWord(launcher),
    `"${launcher}"`,
    nodeStart({ app }),
  ]);
  const servers = roots.map(({ app }) => ` ${serverWords({ app }).join(" ")}`);
  return { exact: new Set(known.commands), starts: [...new Set(["~/.beckon/hook", ...starts])], servers };
}

/** Returns the root of the beckon home on this machine whose launcher a command line calls; undefined if it calls none. */
export function findHome(command: string, home: string): string | undefined {
  const [, line = command] = /^sh -c '([^']+)'$/.exec(command) ?? [];
  const [, , launcher = "", rest = ""] = /^(["']?)([~/].*?\/hook)\1( .*)$/.exec(line) ?? [];
  if (!launcherLine.test(rest)) return undefined;
  const file = launcher.replace(/^~(?=\/)/, () => home);
  return readQuietly(file)?.includes("beckon") ? dirname(file) : undefined;
}

/** Returns Node's arguments for beckon's MCP server. */
export function serverWords({ app }: Pick<Paths, "app">): readonly string[] {
  return [join(app, "dist", "cli.js"), "mcp"];
}

/**
 * Collects beckon's commands on this machine from the install records, this root, the default root and other homes.
 * @throws {SettingsError} `settings.record`
 */
export async function knownBeckonCommands(paths: InstallPaths, home: string, others: readonly string[] = []) {
  return recordedCommands(await allRecords(paths), paths, home, others);
}

/** Collects beckon's commands from install records, this root, the default root and the roots of other homes. */
export function recordedCommands(
  records: readonly InstallRecord[],
  paths: InstallPaths,
  home: string,
  others: readonly string[] = [],
): BeckonCommands {
  return createBeckonCommands({
    commands: records.flatMap(({ entries }) => Object.values(entries).map(({ command }) => command)),
    roots: [paths, defaultRoot(home), ...records, ...others.map((root) => resolvePaths(root))],
  });
}

/** Checks if a command line in a settings file is beckon's. */
export function isBeckonCommand({ exact, starts, servers = [] }: BeckonCommands, command: string): boolean {
  if (exact.has(command) || servers.some((end) => command.endsWith(end))) return true;
  const [, line = command] = /^sh -c '([^']+)'$/.exec(command) ?? [];
  return starts.some((start) => {
    if (!line.startsWith(start)) return false;
    const rest = line.slice(start.length);
    return start.startsWith("node ") ? nodeLine.test(rest) : launcherLine.test(rest);
  });
}
