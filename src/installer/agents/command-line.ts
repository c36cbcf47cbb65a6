import { join, posix } from "node:path";
import { SettingsError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { type HookEventName, kebabCase } from "../../core/vocabulary.ts";

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
}

/**
 * The command line that is written into a settings file. It exits with 0 whatever happens, even when beckon is gone: one
 * agent takes any other exit code as "go on" and loops forever.
 * @throws {SettingsError} `settings.path` on Windows, for a path that cannot be quoted safely
 */
export function commandLine(request: CommandRequest): string {
  const agent = request.agent === undefined ? "" : ` --agent ${request.agent}`;
  const wait = request.waitSeconds > 0 ? ` --wait ${request.waitSeconds}` : "";
  if (request.platform === "win32") return nodeCommand(request) + agent + wait;
  const { launcher } = request.paths;
  const word = launcher === posix.join(request.home, ".beckon", "hook") ? "~/.beckon/hook" : shellWord(launcher);
  return `${word} ${request.nativeEvent}${agent}${wait} || :`;
}

/** A bare `node` and a double-quoted path mean the same to cmd, PowerShell and Git Bash; a quoted program does not. */
function nodeCommand({ paths, event }: CommandRequest): string {
  const script = `${paths.app.replaceAll("\\", "/")}/dist/hooks/${kebabCase(event)}.cjs`;
  if (/["$`%!^&\n\r]/.test(script)) {
    const hint = 'Set BECKON_HOME to a folder whose path has none of " $ ` % ! ^ & in it.';
    throw new SettingsError("settings.path", script, "Windows shells read this path differently", hint);
  }
  return `node "${script}"`;
}

/** Whether a command line means the same on every machine, as one that is committed with a project must. */
export function isPortable(command: string): boolean {
  return command.startsWith("~/");
}

/**
 * A text as one word of a POSIX shell line, quoted only where it must be. A `$` in it is never followed by a name: Gemini
 * and Qwen replace variables in every text of their settings, quoted or not
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
