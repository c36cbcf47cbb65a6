import { DeliveryError } from "../core/errors.ts";
import type { DesktopDriver, DesktopPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";
import { createNodeNotifier, type NodeNotifier, type NodeNotifierOptions } from "./desktop-node-notifier.ts";
import { createNotifySend } from "./desktop-notify-send.ts";
import { createSessionBusDesktop } from "./desktop-session-bus.ts";

/** What the desktop port depends on besides other programs. */
export interface DesktopOptions extends Partial<Pick<NodeNotifierOptions, "child" | "vendor">> {
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: the platform of this machine. */
  readonly platform?: NodeJS.Platform;
}

/**
 * The desktop port of a platform: the session bus, else `notify-send`, on Linux and the BSDs; node-notifier, else `osascript`, on macOS;
 * node-notifier on Windows, and in WSL where Linux has no notification service of its own. A program of the user's is
 * called as `notify-send` is.
 */
export function createDesktop(exec: ExecPort, options: DesktopOptions = {}): DesktopPort {
  const { env = process.env, platform = process.platform } = options;
  const notifySend = createNotifySend(exec, env);
  const sessionBus = createSessionBusDesktop(env);
  const linux = firstThatCan(sessionBus, notifySend);
  const driver = platform === "darwin" ? "center" : "toaster";
  const nodeNotifier = createNodeNotifier(exec, { ...options, driver });
  const chosen = platformDesktop({ exec, linux, nodeNotifier, platform, env });
  const portFor = (program: string | undefined) => (program === undefined ? chosen : notifySend);
  return {
    obstacle: (program) => portFor(program).obstacle(program),
    notify: (request) => portFor(request.program).notify(request),
    isListening: () => sessionBus.isListening(),
    // No other ones tell what was shown.
    close: (request) => (request.shown.owner === nodeNotifier.owner ? nodeNotifier : sessionBus).close(request),
  };
}

interface Drivers {
  readonly exec: ExecPort;
  readonly linux: DesktopDriver;
  readonly nodeNotifier: NodeNotifier;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

function platformDesktop({ exec, linux, nodeNotifier, platform, env }: Drivers): DesktopDriver {
  if (platform === "darwin") return firstThatCan(nodeNotifier, createOsascript(exec));
  if (platform === "win32") return nodeNotifier;
  return env["WSL_DISTRO_NAME"] ? firstThatCan(linux, nodeNotifier) : linux;
}

/** The first of two ports that can. A timeout ends the search, since the notification may be shown already. */
function firstThatCan(first: DesktopDriver, second: DesktopDriver): DesktopDriver {
  return {
    obstacle: () => first.obstacle() && second.obstacle(),
    async notify(request) {
      try {
        return await first.notify(request);
      } catch (error) {
        if (!(error instanceof DeliveryError) || error.reason === "timeout") throw error;
        return await second.notify(request);
      }
    },
  };
}

/** A constant script: the texts are its arguments, never part of its source. */
const script = `on run argv
  display notification (item 2 of argv) with title (item 1 of argv)
end run
`;

/** Desktop port on macOS' own `osascript`: nothing needs to be installed, but Script Editor's icon is shown. */
function createOsascript(exec: ExecPort): DesktopDriver {
  return {
    obstacle: () => undefined,
    async notify({ title, body, mask, signal }) {
      const args = ["-", mask(title), mask(body)];
      const file = exec.driver("osascript") ?? "osascript";
      const { exitCode } = await exec.run({ file, args, input: script, timeoutMs: 3000, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `osascript ended with exit code ${exitCode}`);
      return undefined;
    },
  };
}
