import { DeliveryError } from "../core/errors.ts";
import type { DesktopPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";
import { createNodeNotifier, type NodeNotifierOptions } from "./desktop-node-notifier.ts";
import { createNotifySend } from "./desktop-notify-send.ts";
import { createOsascript } from "./desktop-osascript.ts";

export interface DesktopOptions extends Partial<Pick<NodeNotifierOptions, "child" | "vendor">> {
  /** Default: this process' own. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Notifications on this machine's desktop: `notify-send` on Linux and the BSDs; node-notifier, then `osascript`, on
 * macOS; node-notifier on Windows, and in WSL where Linux itself has nobody to show it to.
 */
export function createDesktop(exec: ExecPort, options: DesktopOptions = {}): DesktopPort {
  const { env = process.env, platform = process.platform } = options;
  if (platform === "darwin") {
    return firstThatCan(createNodeNotifier(exec, { ...options, driver: "center" }), createOsascript(exec));
  }
  const toaster = createNodeNotifier(exec, { ...options, driver: "toaster" });
  if (platform === "win32") return toaster;
  const notifySend = createNotifySend(exec, env);
  return env["WSL_DISTRO_NAME"] ? firstThatCan(notifySend, toaster) : notifySend;
}

/** A timeout ends the search: the notification may be up already, and would be shown twice. */
function firstThatCan(first: DesktopPort, second: DesktopPort): DesktopPort {
  return {
    obstacle: () => first.obstacle() && second.obstacle(),
    async notify(request) {
      try {
        await first.notify(request);
      } catch (error) {
        if (!(error instanceof DeliveryError) || error.reason === "timeout") throw error;
        await second.notify(request);
      }
    },
  };
}
