import { randomInt } from "node:crypto";
import { DeliveryError } from "../core/errors.ts";
import type { ShownNotification } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";
import { containedTexts } from "./desktop-node-notifier.ts";
import { macSteps, type UnprovenDriver } from "./desktop-unproven.ts";
import { findBundle } from "./focus/macos.ts";

const program = "terminal-notifier";
const timeoutMs = 3000;
const diagnoseMs = 2000;

const info = {
  name: program,
  title: program,
  steps: macSteps(
    program,
    'If it is not listed, start it once and allow notifications: open -n "$(brew --prefix terminal-notifier)/terminal-notifier.app" --args -message beckon',
  ),
} as const;

/**
 * Creates the desktop driver for an installed terminal-notifier, usually from Homebrew. Masks secrets in texts, because
 * texts are passed as arguments. Version 3 runs on Apple and Intel processors. All versions have the options used here.
 * https://github.com/julienXX/terminal-notifier
 */
export function createTerminalNotifier(exec: ExecPort): UnprovenDriver {
  const find = () => exec.driver(program);
  return {
    info,
    owner: program,
    obstacle: () => (find() === undefined ? { message: "terminal-notifier is not installed" } : undefined),
    async notify({ title, body, icon, replaces, terminalProgram, mask, signal }) {
      const shown: ShownNotification =
        replaces?.owner === program ? replaces : { id: randomInt(1, 2 ** 47), owner: program };
      const texts = containedTexts(mask(title), mask(body));
      const bundle = findBundle(terminalProgram);
      const args = [
        ...["-title", texts.title, "-message", texts.message, "-group", String(shown.id)],
        ...(bundle === undefined ? [] : ["-activate", bundle]),
        ...(icon === undefined ? [] : ["-contentImage", icon]),
      ];
      const { exitCode } = await exec.run({ file: find() ?? program, args, timeoutMs, signal });
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
      const run = exec.run({ file: find() ?? program, args: ["-diagnose"], timeoutMs: diagnoseMs, signal });
      const found = problemsIn(await run.then(({ stdout }) => stdout).catch(() => ""));
      return found.length === 0 ? undefined : `terminal-notifier says: ${found.join(" ")}`;
    },
  };
}

/** Lists the sentences after "Problems found:" in the output of `terminal-notifier -diagnose`. */
function problemsIn(text: string): string[] {
  const [, list = ""] = text.split(/^Problems found:$/m);
  return [...list.matchAll(/^ *- (.+)$/gm)].map(([, problem = ""]) => problem.trim());
}
