import { DeliveryError } from "../core/errors.ts";
import type { ExecPort } from "../core/ports.ts";
import { macSteps, type UnprovenDriver } from "./desktop-unproven.ts";

const program = "osascript";
const timeoutMs = 3000;

const info = {
  name: program,
  title: "osascript, in the name of Script Editor",
  steps: macSteps(
    "Script Editor",
    'If it is not listed, run `display notification "beckon"` in Script Editor and allow notifications.',
  ),
} as const;

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
  const find = () => exec.driver(program);
  return {
    info,
    owner: program,
    obstacle: () => (find() === undefined ? { message: "osascript is missing on this machine" } : undefined),
    async notify({ title, body, mask, signal }) {
      const args = ["-", mask(title), mask(body)];
      const { exitCode } = await exec.run({ file: find() ?? program, args, input: script, timeoutMs, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `osascript exited with code ${exitCode}`);
      return undefined;
    },
    close: async () => {},
  };
}
