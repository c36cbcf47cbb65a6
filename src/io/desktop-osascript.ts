import { DeliveryError } from "../core/errors.ts";
import type { DesktopPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";

/** Constant: texts come as arguments, never inside the source. */
const script = `on run argv
  display notification (item 2 of argv) with title (item 1 of argv)
end run
`;

/** Shows notifications through macOS' own `osascript`. It needs nothing installed, but shows Script Editor's icon. */
export function createOsascript(exec: ExecPort): DesktopPort {
  return {
    obstacle: () => undefined,
    async notify({ title, body, signal }) {
      const args = ["-", title, body];
      const { exitCode } = await exec.run({ file: "osascript", args, input: script, timeoutMs: 3000, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `osascript ended with exit code ${exitCode}`);
    },
  };
}
