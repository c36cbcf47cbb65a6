import type { DesktopDriver, DesktopPort, UnprovenProgram } from "../core/machine-ports.ts";

/** Desktop driver for a program that cannot report if notifications appear. */
export interface UnprovenDriver extends DesktopDriver, Pick<DesktopPort, "close"> {
  readonly info: UnprovenProgram;
  /** Owner of its notifications. */
  readonly owner: string;
  /** Finds a problem, like the port's method. */
  problem?(signal: AbortSignal): Promise<string | undefined>;
}

/** Steps that make a program's notifications visible on macOS, with the names of macOS 13 to 26. */
export function macSteps(app: string, ...ifMissing: readonly string[]): readonly string[] {
  return [
    `Open System Settings > Notifications > ${app}, turn on "Allow notifications", and choose Banners or Alerts.`,
    ...ifMissing,
    "Turn off Focus: System Settings > Focus, or the moon in the menu bar.",
  ];
}
