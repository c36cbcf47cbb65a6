import { randomInt } from "node:crypto";
import { DeliveryError } from "../core/errors.ts";
import type { ExecPort, ShownNotification } from "../core/ports.ts";
import { containedTexts, macSteps, type UnprovenDriver } from "./desktop-node-notifier.ts";
import { findBundle } from "./focus/macos.ts";

const terminalNotifier = "terminal-notifier";
const timeoutMs = 3000;
const diagnoseMs = 2000;

/**
 * Creates the desktop driver for an installed terminal-notifier, usually from Homebrew. Masks secrets in texts, because
 * texts are passed as arguments. Version 3 runs on Apple and Intel processors. All versions have the options used here.
 * https://github.com/julienXX/terminal-notifier
 */
export function createTerminalNotifier(exec: ExecPort): UnprovenDriver {
  const find = () => exec.driver(terminalNotifier);
  return {
    info: {
      name: terminalNotifier,
      title: terminalNotifier,
      steps: macSteps(
        terminalNotifier,
        'If it is not listed, start it once and allow notifications: open -n "$(brew --prefix terminal-notifier)/terminal-notifier.app" --args -message beckon',
      ),
    },
    owner: terminalNotifier,
    obstacle: () => (find() === undefined ? { message: "terminal-notifier is not installed" } : undefined),
    async notify({ title, body, icon, replaces, terminalProgram, mask, signal }) {
      const shown: ShownNotification =
        replaces?.owner === terminalNotifier ? replaces : { id: randomInt(1, 2 ** 47), owner: terminalNotifier };
      const texts = containedTexts(mask(title), mask(body));
      const bundle = findBundle(terminalProgram);
      const args = [
        ...["-title", texts.title, "-message", texts.message, "-group", String(shown.id)],
        ...(bundle === undefined ? [] : ["-activate", bundle]),
        ...(icon === undefined ? [] : ["-contentImage", icon]),
      ];
      const { exitCode } = await exec.run({ file: find() ?? terminalNotifier, args, timeoutMs, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `terminal-notifier exited with code ${exitCode}`);
      return shown;
    },
    async close({ shown, signal }) {
      const file = find();
      if (file === undefined) throw new DeliveryError("unavailable", "terminal-notifier is no longer installed");
      const { exitCode } = await exec.run({ file, args: ["-remove", String(shown.id)], timeoutMs, signal });
      if (exitCode === 0) return;
      throw new DeliveryError(
        "unavailable",
        `terminal-notifier could not close a notification (exit code ${exitCode})`,
      );
    },
    // Version 3 reports if macOS allows its notifications. Older versions print their usage.
    async problem(signal) {
      const run = exec.run({ file: find() ?? terminalNotifier, args: ["-diagnose"], timeoutMs: diagnoseMs, signal });
      const { stdout } = await run.catch(() => ({ stdout: "" }));
      const [, list = ""] = stdout.split(/^Problems found:$/m);
      const found = [...list.matchAll(/^ *- (.+)$/gm)].map(([, problem = ""]) => problem.trim());
      return found.length === 0 ? undefined : `terminal-notifier says: ${found.join(" ")}`;
    },
  };
}

const osascript = "osascript";

/** AppleScript with constant text. It gets title and body as arguments, never as part of its source. */
const script = `on run argv
  display notification (item 2 of argv) with title (item 1 of argv)
end run
`;

/**
 * Creates the desktop driver for macOS's `osascript`, which needs no installation. The notifications show Script
 * Editor's icon and open Script Editor on a click. They cannot be closed or replaced.
 */
export function createOsascript(exec: ExecPort): UnprovenDriver {
  const find = () => exec.driver(osascript);
  return {
    info: {
      name: osascript,
      title: "osascript, in the name of Script Editor",
      steps: macSteps(
        "Script Editor",
        'If it is not listed, run `display notification "beckon"` in Script Editor and allow notifications.',
      ),
    },
    owner: osascript,
    obstacle: () => (find() === undefined ? { message: "osascript is missing on this machine" } : undefined),
    async notify({ title, body, mask, signal }) {
      const args = ["-", mask(title), mask(body)];
      const { exitCode } = await exec.run({ file: find() ?? osascript, args, input: script, timeoutMs, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `osascript exited with code ${exitCode}`);
      return undefined;
    },
    close: async () => {},
  };
}
