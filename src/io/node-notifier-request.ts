/** Request to `node-notifier-child`, sent as JSON on standard input. */
export interface NodeNotifierRequest {
  /** node-notifier's class: `center` for macOS's Notification Center, `toaster` and `balloon` for Windows. */
  readonly driver: "center" | "toaster" | "balloon";
  /** Absolute path of the program that node-notifier starts. */
  readonly program: string;
  readonly title: string;
  readonly message: string;
  /** Absolute path of a PNG file. */
  readonly icon?: string;
  /** Number of the notification, which replaces an earlier notification with the same number. */
  readonly id: number;
}

/** Exit code of `node-notifier-child` if the system's settings forbid notifications. */
export const switchedOffCode = 3;
