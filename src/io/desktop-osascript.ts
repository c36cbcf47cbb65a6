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
    'If it is not in that list, open Script Editor, run `display notification "beckon"` in it, and allow what it asks.',
  ),
} as const;

/** A constant script: the texts are its arguments, never part of its source. */
const script = `on run argv
  display notification (item 2 of argv) with title (item 1 of argv)
end run
`;

/**
 * Desktop port on macOS' own `osascript`: nothing needs to be installed, but Script Editor's icon is shown, and a click
 * opens it. What it shows cannot be closed or replaced.
 */
export function createOsascript(exec: ExecPort): UnprovenDriver {
  const find = () => exec.driver(program);
  return {
    info,
    owner: program,
    obstacle: () => (find() === undefined ? { message: "there is no osascript on this machine" } : undefined),
    async notify({ title, body, mask, signal }) {
      const args = ["-", mask(title), mask(body)];
      const { exitCode } = await exec.run({ file: find() ?? program, args, input: script, timeoutMs, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `osascript ended with exit code ${exitCode}`);
      return undefined;
    },
    close: async () => {},
  };
}
