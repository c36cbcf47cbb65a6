/** What `node-notifier-child` reads from its standard input, as JSON. */
export interface NodeNotifierRequest {
  /** node-notifier's class: `center` for macOS' Notification Center, `toaster` and `balloon` for Windows. */
  readonly driver: "center" | "toaster" | "balloon";
  /** Absolute path of the program that node-notifier starts. */
  readonly program: string;
  readonly title: string;
  readonly message: string;
  /** Absolute path of a PNG. */
  readonly icon?: string;
  /** Its number; it takes the place of the one that has the same. */
  readonly id: number;
}

/** The exit code of `node-notifier-child` where the system's settings let the program show nothing. */
export const switchedOffCode = 3;
