import type { Paths } from "../files/paths.ts";
import { defaultRoot, nodeStart, shellWord } from "./agents/command-line.ts";
import { allRecords, type InstallPaths, type InstallRecord } from "./record.ts";

/** What beckon's entries are recognized by. Made by `beckonCommandsOf`. */
export interface BeckonCommands {
  /** Commands that an install record says beckon wrote. */
  readonly exact: ReadonlySet<string>;
  /** The beginnings of beckon's command lines: each known launcher, as it may be written in a shell line. */
  readonly starts: readonly string[];
}

// A user may have removed the guard at the end, or spelled it out.
const launcherLine = /^ [A-Za-z][\w-]* --agent [a-z][\w-]*(?: --[a-z]+ [\w.]+)*(?: \|\| (?::|true))?$/;
const nodeLine =
  /^\/dist\/hooks\/[a-z-]+\.cjs'\)\}catch\{\}" -- --agent [a-z][\w-]*(?: --[a-z]+ [\w.]+)*(?: ; exit 0)?$/;

/**
 * Recognizes the exact recorded commands and complete command lines of known launchers. Never a part of a command line:
 * a command that only mentions beckon is not beckon's.
 */
export function beckonCommandsOf(known: {
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
  return { exact: new Set(known.commands), starts: [...new Set(["~/.beckon/hook", ...starts])] };
}

/**
 * Beckon's commands as this machine knows them: from the install records, this root and the default one.
 * @throws {SettingsError} `settings.record`
 */
export async function knownBeckonCommands(paths: InstallPaths, home: string): Promise<BeckonCommands> {
  return recordedCommands(await allRecords(paths), paths, home);
}

/** Beckon's commands by some install records, this root and the default one. */
export function recordedCommands(records: readonly InstallRecord[], paths: InstallPaths, home: string): BeckonCommands {
  return beckonCommandsOf({
    commands: records.flatMap(({ entries }) => Object.values(entries).map(({ command }) => command)),
    roots: [paths, defaultRoot(home), ...records],
  });
}

/** Whether a command line in a settings file is one of beckon's. */
export function isBeckonCommand({ exact, starts }: BeckonCommands, command: string): boolean {
  if (exact.has(command)) return true;
  const [, line = command] = /^sh -c '([^']+)'$/.exec(command) ?? [];
  return starts.some((start) => {
    if (!line.startsWith(start)) return false;
    const rest = line.slice(start.length);
    return start.startsWith("node ") ? nodeLine.test(rest) : launcherLine.test(rest);
  });
}
