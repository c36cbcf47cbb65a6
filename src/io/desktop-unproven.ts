import type { DesktopDriver, DesktopPort, UnprovenProgram } from "../core/machine-ports.ts";

/** Desktop driver whose program cannot report if a notification really appears. */
export interface UnprovenDriver extends DesktopDriver, Pick<DesktopPort, "close"> {
  readonly info: UnprovenProgram;
  /** Name that identifies this driver in `ShownNotification.owner`. */
  readonly owner: string;
  /** Returns the reason why notifications cannot appear, like the port's `problem`. */
  problem?(signal: AbortSignal): Promise<string | undefined>;
}

/** Returns the steps that make a program's notifications visible on macOS, in terms of the menus of macOS 13 to 26. */
export function macSteps(app: string, ...ifMissing: readonly string[]): readonly string[] {
  return [
    `Open System Settings > Notifications > ${app}, turn on "Allow notifications", and choose Banners or Alerts.`,
    ...ifMissing,
    "Turn off Focus: System Settings > Focus, or the moon in the menu bar.",
  ];
}
