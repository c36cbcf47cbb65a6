import type { TerminalEnvironment } from "./terminal-environment.ts";

/** Reason why something cannot work on this machine, with advice. */
export interface Obstacle {
  readonly message: string;
  readonly hint?: string;
}

/** Port that may not work on this machine. */
interface LocalPort {
  /**
   * Finds out why it does not work here, without showing or playing anything; undefined if no reason is known.
   * @param program the user's own program, replacing those that beckon would choose
   */
  obstacle(program?: string): Obstacle | undefined;
}

/**
 * Shown notification, as desktops identify it: its number, the service and bus that issued it, and the address of the
 * bus, because the worker that closes it may run without a session.
 */
export type ShownNotification = { readonly id: number; readonly owner: string; readonly bus?: string };

/** Buttons of a notification, with their callback. */
export interface NotificationButtons {
  /** Labels of the buttons; `focus` is a click on the notification itself. */
  readonly labels: Readonly<Record<"focus" | "seen", string>>;
  /** Called at any time while this process runs, for 15 minutes at most. */
  readonly onReaction: (reaction: "focus" | "seen" | "closed") => void;
}

/** Programs that show notifications on macOS and on Windows, in the order in which they are tried. */
export const desktopPrograms = {
  darwin: ["terminal-notifier", "osascript", "bundled"],
  win32: ["toast", "balloon"],
} as const;
export type DesktopProgram = (typeof desktopPrograms)[keyof typeof desktopPrograms][number];

/** Program whose success does not prove that its notification is visible: the system may drop it silently. */
export interface UnprovenProgram {
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** Steps if nothing is visible, a sentence each: the exact places in the system's settings. */
  readonly steps: readonly string[];
}

/** Port for notifications on this machine's desktop. */
export interface DesktopPort extends LocalPort {
  /**
   * Shows a notification. The texts are plain and cleaned; the port escapes them.
   * @returns identifiers to close and replace it, if the desktop supports that: on Linux and the BSDs, over the session
   * bus; on macOS by terminal-notifier; on Windows by toasts
   * @throws {DeliveryError} `unsupported` if no desktop can show it (the message says why), `timeout`
   */
  notify(request: {
    readonly title: string;
    readonly body: string;
    readonly urgency: "low" | "normal" | "critical";
    /** Absolute path of a PNG to show next to the texts. */
    readonly icon?: string;
    /** Category by which desktops and users may sort notifications, in the specification's form: `x-vendor.class`. */
    readonly category?: string;
    /** Earlier notification to replace. The new one alerts again. If the earlier one is gone, it is ignored. */
    readonly replaces?: ShownNotification;
    /** Program to try first, if the platform has it. */
    readonly driver?: DesktopProgram;
    /** Agent's terminal by its TERM_PROGRAM: if the desktop supports it, a click brings the terminal to the front. */
    readonly terminalProgram?: string;
    /** Buttons to show if the desktop has them and reports clicks: on Linux and the BSDs, over the session bus. */
    readonly buttons?: NotificationButtons;
    /** User's own program, by absolute path; it gets the arguments of `notify-send`. */
    readonly program?: string | undefined;
    /** Masks a text that can only be shown through a program's arguments, which other users can read. */
    readonly mask: (text: string) => string;
    readonly signal: AbortSignal;
  }): Promise<ShownNotification | undefined>;
  /**
   * Closes a notification. Also resolves if the notification or its desktop is gone.
   * @throws {DeliveryError} `timeout`, or `unavailable` if its desktop cannot be reached from this process
   */
  close(request: { readonly shown: ShownNotification; readonly signal: AbortSignal }): Promise<void>;
  /**
   * Lists the unproven programs that could be started now, in the order in which they are tried; empty if the desktop
   * confirms what it shows.
   */
  unproven(driver?: DesktopProgram): readonly UnprovenProgram[];
  /**
   * Finds out why notifications stay invisible although nothing is missing, from the session bus or the first program;
   * undefined if neither gives a reason.
   */
  problem(request: {
    readonly driver?: DesktopProgram;
    readonly signal: AbortSignal;
  }): Promise<string | Obstacle | undefined>;
  /** True while a notification with buttons is open, for 15 minutes at most. */
  isListening(): boolean;
}

/** Desktop port for notifications that cannot be changed once they are shown. */
export type DesktopDriver = Pick<DesktopPort, "obstacle" | "notify">;

/** Port for sounds on this machine. */
export interface SoundPort extends LocalPort {
  /**
   * Plays a sound file, for 5 s at most.
   * @throws {DeliveryError} `unsupported` if there is no player or no audio device, `rejected` for an unusable file
   */
  play(request: {
    readonly file: string;
    /** User's own player, by absolute path; its only argument is the file. */
    readonly program?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** Port for speech on this machine. */
export interface SpeechPort extends LocalPort {
  /**
   * Reads a plain text aloud.
   * @param request.voice the platform's own name of a voice
   * @param request.language language of the text, as ISO 639-1 code. Without a `voice`, the port looks for a voice that
   * speaks it, or uses the platform's default. Not for the user's own program.
   * @param request.program the user's own program, by absolute path; it reads the text from its standard input
   * @throws {DeliveryError} `unsupported` if no program can speak, `timeout`
   */
  say(request: {
    readonly text: string;
    readonly voice?: string;
    readonly language?: string;
    readonly program?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** Terminal that an agent runs in. */
export interface AgentTerminal {
  /** Variables of the agent's environment that identify the terminal: TERM, TERM_PROGRAM, TMUX … */
  readonly env: Readonly<Record<string, string>>;
  /** Explains why control sequences do not reach the terminal that the user sees, with advice; undefined if they do. */
  obstacle(): Promise<string | undefined>;
  /** Writes to the terminal without blocking. @throws {DeliveryError} `unavailable` if it takes no output now */
  write(text: string): Promise<void>;
}

/** Port for the terminals of this user's processes. */
export interface TerminalPort {
  /**
   * Finds the terminal of the first of these processes that still runs, belongs to this user and has a terminal. If the
   * platform does not list terminals (macOS, the BSDs), uses the terminal that the hook's environment identifies
   * uniquely. Otherwise undefined.
   */
  of(processes: readonly number[], recorded?: TerminalEnvironment): Promise<AgentTerminal | undefined>;
  /** Finds the terminal that this process runs in. */
  here(): Promise<AgentTerminal | undefined>;
}
