import { DeliveryError } from "../core/errors.ts";
import type { DesktopDriver, DesktopPort, DesktopProgram, ExecPort, Obstacle } from "../core/ports.ts";
import { createOsascript, createTerminalNotifier } from "./desktop-macos.ts";
import { createNodeNotifier, type NodeNotifierOptions, type UnprovenDriver } from "./desktop-node-notifier.ts";
import { createNotifySend } from "./desktop-notify-send.ts";
import { createSessionBusDesktop } from "./desktop-session-bus.ts";

/** Options for the desktop port. */
export interface DesktopOptions extends Partial<Omit<NodeNotifierOptions, "driver" | "inWsl">> {
  /** Environment; default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Platform; default: the platform of this machine. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Creates the desktop port for a platform. On Linux and the BSDs it uses the session bus, or else `notify-send`. On
 * macOS and Windows it uses programs that cannot report if a notification appears. In WSL it uses the Windows programs
 * if Linux has no notification service. A program that the user configured gets the same arguments as `notify-send`.
 */
export function createDesktop(exec: ExecPort, options: DesktopOptions = {}): DesktopPort {
  const { env = process.env, platform = process.platform } = options;
  const notifySend = createNotifySend(exec, env);
  const sessionBus = createSessionBusDesktop(env);
  const proven = platform === "darwin" || platform === "win32" ? [] : [sessionBus, notifySend];
  const unproven = unprovenDrivers(exec, options, platform, env);
  // The chosen driver comes first. A choice for another platform, as in a configuration for several, has no effect.
  const usable = (driver?: DesktopProgram): readonly UnprovenDriver[] =>
    unproven
      .filter((candidate) => candidate.obstacle() === undefined)
      .sort((a, b) => Number(b.info.name === driver) - Number(a.info.name === driver));
  const hasProven = () => proven.some((candidate) => candidate.obstacle() === undefined);
  const candidates = (driver?: DesktopProgram): readonly DesktopDriver[] => {
    const found = [...proven, ...usable(driver)];
    return found.length > 0 ? found : unproven.slice(0, 1);
  };
  return {
    obstacle: (program) => (program === undefined ? findObstacle(candidates()) : notifySend.obstacle(program)),
    notify: (request) =>
      request.program === undefined ? notifyByFirst(candidates(request.driver), request) : notifySend.notify(request),
    answerObstacle: (signal) => sessionBus.answerObstacle(signal),
    isListening: () => sessionBus.isListening(),
    unproven: (driver) => (hasProven() ? [] : usable(driver).map(({ info }) => info)),
    problem: async ({ driver, signal }) =>
      hasProven() ? sessionBus.problem(signal) : usable(driver)[0]?.problem?.(signal),
    // Only the session bus and the unproven drivers can close notifications.
    close: (request) => (unproven.find(({ owner }) => owner === request.shown.owner) ?? sessionBus).close(request),
  };
}

/** Lists the drivers that cannot report if a notification appears, in the order of `desktopPrograms`. */
function unprovenDrivers(
  exec: ExecPort,
  options: DesktopOptions,
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly UnprovenDriver[] {
  const inWsl = platform === "linux" && Boolean(env["WSL_DISTRO_NAME"]);
  const byNodeNotifier = (driver: NodeNotifierOptions["driver"]) =>
    createNodeNotifier(exec, { ...options, driver, inWsl });
  if (platform === "darwin") return [createTerminalNotifier(exec), createOsascript(exec), byNodeNotifier("center")];
  return platform === "win32" || inWsl ? [byNodeNotifier("toaster"), byNodeNotifier("balloon")] : [];
}

/** Returns the last driver's obstacle, which is the easiest to remove; undefined if any driver works. */
function findObstacle(drivers: readonly DesktopDriver[]): Obstacle | undefined {
  const obstacles = drivers.map((driver) => driver.obstacle());
  return obstacles.includes(undefined) ? undefined : obstacles.at(-1);
}

/**
 * Shows a notification with the first driver that works. Stops trying after a timeout, because the notification may
 * have appeared, and after a rejection, because the user has turned notifications off.
 * @throws {DeliveryError} the error of the last driver tried
 */
async function notifyByFirst(
  [first, ...others]: readonly DesktopDriver[],
  request: Parameters<DesktopPort["notify"]>[0],
): ReturnType<DesktopPort["notify"]> {
  try {
    return await first?.notify(request);
  } catch (error) {
    const isFinal = !(error instanceof DeliveryError) || ["timeout", "rejected"].includes(error.reason);
    if (isFinal || others.length === 0) throw error;
    return await notifyByFirst(others, request);
  }
}
