import { join, posix } from "node:path";
import { type HookEventName, kebabCase } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";

export interface CommandRequest {
  readonly paths: Pick<Paths, "launcher" | "app">;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Undefined for a command that no agent runs: the sample event where there is none. */
  readonly agent: string | undefined;
  /** The agent's own name for the event. */
  readonly nativeEvent: string;
  /** What it maps onto; Windows has one entrypoint for each. */
  readonly event: HookEventName;
  /** Seconds the hook may wait for the delivery; 0: not at all. */
  readonly waitSeconds: number;
  /** The user's login shell, if the agent runs command lines with it; otherwise it is a POSIX shell. */
  readonly loginShell?: string | undefined;
}

/**
 * The command line that is written into a settings file. It exits with 0 whatever happens, even when beckon is gone:
 * one agent takes any other exit code as "go on" and loops forever.
 */
export function commandLine(request: CommandRequest): string {
  const agent = request.agent === undefined ? "" : ` --agent ${request.agent}`;
  const wait = request.waitSeconds > 0 ? ` --wait ${request.waitSeconds}` : "";
  if (request.platform === "win32") return nodeCommand(request, agent + wait);
  const { launcher } = request.paths;
  const word = launcher === posix.join(request.home, ".beckon", "hook") ? "~/.beckon/hook" : shellWord(launcher);
  const call = ` ${request.nativeEvent}${agent}${wait} || :`;
  if (canParse(request.loginShell, word + call)) return word + call;
  // Every shell reads single quotes alike if they hold none themselves.
  const quoted = word.startsWith("'") ? `"${launcher}"` : word;
  return /^[^'`$\\]+$/.test(quoted) && !launcher.includes('"') ? `sh -c '${quoted}${call}'` : word + call;
}

/** Shells that know `||` and `:`, and `~` for the home folder; tried with real ones. */
const likePosix = /^(?:sh|bash|dash|ash|zsh|yash|m?ksh\d*|pdksh|busybox|fish|xonsh|t?csh)$/;

/** Shells that refuse the options `-lc`; tried with tcsh 6.24 and elvish 0.19. */
const refusing = /^(?:tcsh|elvish)$/;

/** Returns whether a login shell refuses the options with which an agent has it run any command line. */
export function refusesOptions(loginShell: string | undefined): boolean {
  return loginShell !== undefined && refusing.test(posix.basename(loginShell));
}

/** Returns whether a login shell can parse a command line of beckon; true for an unset one. */
export function canParse(loginShell: string | undefined, command: string): boolean {
  return !loginShell || likePosix.test(posix.basename(loginShell)) || command.startsWith("sh -c '");
}

/**
 * The command line in a plugin, whose folder holds a launcher of its own. It is silent even while the agent removes or
 * replaces that folder.
 */
export function pluginCommandLine(folder: string, agent: string, nativeEvent: string): string {
  return `sh "${folder}/hook" ${nativeEvent} --agent ${agent} 2>/dev/null || :`;
}

/**
 * Windows' command line means the same to cmd, PowerShell and Git Bash, since sources differ about which of them an
 * agent uses: a bare `node`, for PowerShell only prints a quoted program; no character in double quotes that one of
 * them reads (see `scriptText`); `catch` in place of a guard that only two of them know. Where Node itself is gone,
 * `exit 0` makes it 0 for the two that take `;` as an end; for cmd it is two more arguments, of which the hook knows
 * nothing.
 */
function nodeCommand({ paths, event }: CommandRequest, options: string): string {
  return `${nodeStart(paths)}/dist/hooks/${kebabCase(event)}.cjs')}catch{}" --${options} ; exit 0`;
}

/** The beginning of every command line on Windows: up to the folder of the app. */
export function nodeStart({ app }: Pick<Paths, "app">): string {
  return `node -e "try{require('${scriptText(app.replaceAll("\\", "/"))}`;
}

/**
 * A path as part of a JavaScript string in single quotes, in which no shell finds anything to replace or to end,
 * whatever the profile is called, and no agent that removes comments finds `//`. Umlauts are escaped as well: which
 * code page a settings file is read in is the agent's business.
 */
function scriptText(path: string): string {
  const escaped = path.replaceAll(
    /[^\w ./:()+,=@~-]/g,
    (text) => `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped.replaceAll("//", "/\\u002f");
}

/** Whether a command line means the same on every machine, as one that is committed with a project must. */
export function isPortable(command: string): boolean {
  return /^(?:sh -c ')?~\//.test(command);
}

/**
 * A text as one word of a POSIX shell line, quoted only where it must be. A `$` in it is never followed by a name:
 * Gemini and Qwen replace variables in every text of their settings, quoted or not
 * (https://geminicli.com/docs/reference/configuration).
 */
export function shellWord(text: string): string {
  if (/^[\w/.,:@%+-]+$/.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", "'\\''").replaceAll(/\$(?=[\w{])/g, () => "$''")}'`;
}

/** The launcher and `app` folder of the default root. */
export function defaultRoot(home: string): { launcher: string; app: string } {
  const root = join(home, ".beckon");
  return { launcher: join(root, "hook"), app: join(root, "app") };
}
