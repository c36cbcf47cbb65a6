import { shellWord } from "./agents/command-line.ts";

/** What makes an entry ours. Built by `ownCommands`. */
export interface OwnCommands {
  /** Commands that an install record says we wrote. */
  readonly exact: ReadonlySet<string>;
  /** The words our command lines start with: each launcher we know, as it may be written in a shell line. */
  readonly starts: readonly string[];
}

// A user may have taken the guard at the end away, or have spelt it out.
const launcherLine = /^ [A-Za-z][\w-]* --agent [a-z][\w-]*(?: --[a-z]+ [\w.]+)*(?: \|\| (?::|true))?$/;
const nodeLine = /^\/dist\/hooks\/[a-z-]+\.cjs" --agent [a-z][\w-]*(?: --[a-z]+ [\w.]+)*$/;

/**
 * How our own entries are told from others': by the exact recorded command, or as a complete command line of a launcher
 * we know. Never by a part of it: a command that only mentions us is somebody else's.
 */
export function ownCommands(known: {
  readonly commands: Iterable<string>;
  /** Absolute paths of launchers, and of the `app` folders beside them. */
  readonly roots: Iterable<{ readonly launcher: string; readonly app: string }>;
}): OwnCommands {
  const roots = [...known.roots];
  const starts = roots.flatMap(({ launcher, app }) => [
    launcher,
    shellWord(launcher),
    `"${launcher}"`,
    `node "${app.replaceAll("\\", "/")}`,
  ]);
  return { exact: new Set(known.commands), starts: [...new Set(["~/.beckon/hook", ...starts])] };
}

/** Whether a command line in a settings file is one of ours. */
export function isOwn(own: OwnCommands, command: string): boolean {
  if (own.exact.has(command)) return true;
  return own.starts.some((start) => {
    if (!command.startsWith(start)) return false;
    const rest = command.slice(start.length);
    return start.startsWith('node "') ? nodeLine.test(rest) : launcherLine.test(rest);
  });
}
