import { join, posix } from "node:path";
import { type HookEventName, kebabCase } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";

export interface CommandRequest {
  readonly paths: Pick<Paths, "launcher" | "app">;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Name of the agent; undefined for the sample event on a machine without agents. */
  readonly agent: string | undefined;
  /** The agent's own name for the event. */
  readonly nativeEvent: string;
  /** Beckon's event. On Windows, each event has its own entrypoint. */
  readonly event: HookEventName;
  /** Maximum time that the hook waits for the delivery, seconds. With 0, the hook does not wait. */
  readonly waitSeconds: number;
  /** Maximum time that the hook waits for the user's answer, seconds. Absent for a hook that does not ask. */
  readonly askSeconds?: number | undefined;
  /** True for a hook that asks about the agent's forms. */
  readonly isForm?: boolean;
  /** The user's login shell, if the agent runs command lines with it; default: a POSIX shell. */
  readonly loginShell?: string | undefined;
}

/**
 * Builds the command line for a settings file. The command line exits with 0 even after beckon was deleted, because one
 * agent reads any other exit code as "go on" and loops forever.
 */
export function commandLine(request: CommandRequest): string {
  const agent = request.agent === undefined ? "" : ` --agent ${request.agent}`;
  const { askSeconds, waitSeconds, isForm } = request;
  const delivery = waitSeconds > 0 ? ` --wait ${waitSeconds}` : "";
  const wait = askSeconds === undefined ? delivery : ` --${isForm ? "form" : "ask"} ${askSeconds}`;
  if (request.platform === "win32") return nodeCommand(request, agent + wait);
  const { launcher } = request.paths;
  const word = launcher === posix.join(request.home, ".beckon", "hook") ? "~/.beckon/hook" : shellWord(launcher);
  const call = ` ${request.nativeEvent}${agent}${wait} || :`;
  if (canParse(request.loginShell, word + call)) return word + call;
  // All shells read a text in single quotes alike, unless the text contains a single quote.
  const quoted = word.startsWith("'") ? `"${launcher}"` : word;
  return /^[^'`$\\]+$/.test(quoted) && !launcher.includes('"') ? `sh -c '${quoted}${call}'` : word + call;
}

/** Shells that understand `||`, `:`, and `~` for the home folder, according to tests with these shells. */
const likePosix = /^(?:sh|bash|dash|ash|zsh|yash|m?ksh\d*|pdksh|busybox|fish|xonsh|t?csh)$/;

/** Shells that refuse the options `-lc`, according to tests with tcsh 6.24 and elvish 0.19. */
const refusing = /^(?:tcsh|elvish)$/;

/** Checks if a login shell refuses the options with which an agent runs command lines. */
export function refusesOptions(loginShell: string | undefined): boolean {
  return loginShell !== undefined && refusing.test(posix.basename(loginShell));
}

/** Checks if a login shell can parse beckon's command line; true for an unset shell. */
export function canParse(loginShell: string | undefined, command: string): boolean {
  return !loginShell || likePosix.test(posix.basename(loginShell)) || command.startsWith("sh -c '");
}

/**
 * Builds the command line for a plugin, whose folder contains its own launcher. The command line prints nothing while
 * the agent removes or replaces that folder.
 */
export function pluginCommandLine(folder: string, agent: string, nativeEvent: string): string {
  return `sh "${folder}/hook" ${nativeEvent} --agent ${agent} 2>/dev/null || :`;
}

/**
 * Builds the command line for Windows. It works in cmd, PowerShell and Git Bash, because sources differ on which shell
 * an agent uses. `node` has no quotes, because PowerShell only prints a quoted program. Double quotes contain no
 * special characters (see `scriptText`). `catch` hides the error of a missing file in all three shells. PowerShell and
 * Git Bash end the command at `;`, so that `exit 0` sets the exit code even if Node is missing; cmd passes `exit` and
 * `0` to the hook, which ignores them.
 */
function nodeCommand({ paths, event }: CommandRequest, options: string): string {
  return `${nodeStart(paths)}/dist/hooks/${kebabCase(event)}.cjs')}catch{}" --${options} ; exit 0`;
}

/** Builds the start of every command line on Windows, up to the app's folder. */
export function nodeStart({ app }: Pick<Paths, "app">): string {
  return `node -e "try{require('${scriptText(app.replaceAll("\\", "/"))}`;
}

/**
 * Escapes a path for a JavaScript string in single quotes. The result has no characters that are special to a shell,
 * and no `//`, which an agent might remove as a comment. Non-ASCII characters are escaped too, because each agent
 * chooses the code page of its settings files.
 */
function scriptText(path: string): string {
  const escaped = path.replaceAll(
    /[^\w ./:()+,=@~-]/g,
    (text) => `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped.replaceAll("//", "/\\u002f");
}

/** Checks if a command line works on every machine, as a command line in a committed file must. */
export function isPortable(command: string): boolean {
  return /^(?:sh -c ')?~\//.test(command);
}

/**
 * Quotes a text as one word of a POSIX shell line, if necessary. A `$` in the result is never followed by a name,
 * because Gemini and Qwen replace variables in every text of their settings, quoted or not
 * (https://geminicli.com/docs/reference/configuration).
 */
export function shellWord(text: string): string {
  if (/^[\w/.,:@%+-]+$/.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", "'\\''").replaceAll(/\$(?=[\w{])/g, () => "$''")}'`;
}

/** Returns the launcher and the `app` folder of the default root. */
export function defaultRoot(home: string): { launcher: string; app: string } {
  const root = join(home, ".beckon");
  return { launcher: join(root, "hook"), app: join(root, "app") };
}
