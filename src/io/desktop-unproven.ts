import type { DesktopDriver, DesktopPort, UnprovenProgram } from "../core/machine-ports.ts";

/** A desktop port on an unproven program. */
export interface UnprovenDriver extends DesktopDriver, Pick<DesktopPort, "close"> {
  readonly info: UnprovenProgram;
  /** The owner of all that it shows. */
  readonly owner: string;
  /** As the port's. */
  problem?(signal: AbortSignal): Promise<string | undefined>;
}

/** Where macOS decides whether a program's notifications are seen. The names are those of macOS 13 to 26. */
export function macSteps(app: string, ...ifMissing: readonly string[]): readonly string[] {
  return [
    `Open System Settings > Notifications > ${app}, switch on "Allow notifications", and choose Banners or Alerts.`,
    ...ifMissing,
    "No Focus may be on: System Settings > Focus, or the moon in the menu bar.",
  ];
}
