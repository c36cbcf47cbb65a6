import type { FocusStep } from "../../core/ports.ts";
import type { TerminalEnvironment } from "../../core/terminal-environment.ts";
import type { Place } from "../presence/question.ts";

/** Bundle ids of terminals, by TERM_PROGRAM. */
const bundles: Readonly<Record<string, string>> = {
  Apple_Terminal: "com.apple.Terminal",
  "iTerm.app": "com.googlecode.iterm2",
  WezTerm: "com.github.wez.wezterm",
  WarpTerminal: "dev.warp.Warp-Stable",
  ghostty: "com.mitchellh.ghostty",
  kitty: "net.kovidgoyal.kitty",
  vscode: "com.microsoft.VSCode",
};

/** Finds a terminal's bundle id by TERM_PROGRAM; undefined for an unknown terminal. */
export function findBundle(terminalProgram = ""): string | undefined {
  return Object.hasOwn(bundles, terminalProgram) ? bundles[terminalProgram] : undefined;
}

/** AppleScripts with constant text. They get what to search for as arguments. */
const scripts = {
  iterm: `on run argv
  tell application "iTerm2"
    repeat with w in windows
      repeat with t in tabs of w
        repeat with s in sessions of t
          if (id of s) is (item 1 of argv) then
            select w
            select t
            select s
            return "found"
          end if
        end repeat
      end repeat
    end repeat
  end tell
end run`,
  terminal: `on run argv
  tell application "Terminal"
    repeat with w in windows
      repeat with t in tabs of w
        if (tty of t) is (item 1 of argv) then
          set selected of t to true
          set index of w to 1
          return "found"
        end if
      end repeat
    end repeat
  end tell
end run`,
} as const;

/**
 * Focuses a terminal on macOS: the terminal program, and then the tab if the program supports that. macOS asks the user
 * once for permission to control iTerm2 or Terminal. Only tested with stubs, never on a Mac.
 */
export async function focusOnMac(
  processes: readonly number[],
  env: TerminalEnvironment,
  run: Place["run"],
): Promise<FocusStep[]> {
  const { TERM_PROGRAM, ITERM_SESSION_ID, WARP_FOCUS_URL } = env;
  const bundle = findBundle(TERM_PROGRAM);
  if (WARP_FOCUS_URL !== undefined) return [step("the tab", await run("open", [WARP_FOCUS_URL]))];
  if (bundle === undefined) return [{ target: "the window", obstacle: "its program was not recorded" }];
  const window = step("the window", await run("open", ["-b", bundle]));
  const tty = bundle === bundles["Apple_Terminal"] ? await findTty(processes, run) : undefined;
  const session = bundle === bundles["iTerm.app"] ? ITERM_SESSION_ID?.split(":")[1] : undefined;
  const [script, wanted] = tty === undefined ? [scripts.iterm, session] : [scripts.terminal, tty];
  if (wanted === undefined) return [window, { target: "the tab", obstacle: "nothing that identifies it was recorded" }];
  const found = await run("osascript", ["-e", script, wanted]);
  return [window, step("the tab", found?.trim() === "found" ? found : undefined)];
}

/** Returns the path of the terminal of the last of these processes that has a terminal. */
async function findTty(processes: readonly number[], run: Place["run"]): Promise<string | undefined> {
  for (const pid of processes.toReversed()) {
    const name = /^ttys\d{1,5}$/.exec((await run("ps", ["-o", "tty=", "-p", String(pid)]))?.trim() ?? "")?.[0];
    if (name !== undefined) return `/dev/${name}`;
  }
  return undefined;
}

function step(target: string, output: string | undefined): FocusStep {
  return output === undefined ? { target, obstacle: "macOS did not comply" } : { target };
}
