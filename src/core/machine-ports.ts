import type { TerminalEnvironment } from "./terminal-environment.ts";

/** Reason why something cannot work on this machine, with advice. */
export interface Obstacle {
  readonly message: string;
  readonly hint?: string;
}

/** Port that may not work on this machine. */
interface LocalPort {
  /**
   * Finds out why the port does not work here, without showing or playing anything; undefined if no reason is known.
   * @param program program that the user configured instead of those that beckon chooses
   */
  obstacle(program?: string): Obstacle | undefined;
}

/**
 * Identifiers of a shown notification: `id`, its number; `owner`, the program or service that issued the number; and
 * `bus`, the address of the session bus. The address is included because the worker that closes the notification may
 * run outside the session.
 */
export type ShownNotification = { readonly id: number; readonly owner: string; readonly bus?: string };

/** Buttons of a notification, with the functions to call for them. */
export interface NotificationButtons {
  /** Labels of the buttons. `focus` labels the action of a click on the notification itself. */
  readonly labels: Readonly<Record<"focus" | "seen", string>>;
  /** Buttons that answer a permission request, shown before the others. The token identifies the button. */
  readonly answers?: readonly { readonly token: string; readonly label: string }[];
  /** Text that replaces the notification's body if buttons are shown. Required with `answers`. */
  readonly body?: string;
  /** Called with the token of a pressed answer button. */
  readonly onAnswer?: (token: string) => void;
  /** Called when the user reacts within 15 minutes, if this process still runs. */
  readonly onReaction: (reaction: "focus" | "seen" | "closed") => void;
}

/** Programs that show notifications on macOS and on Windows, in the order in which they are tried. */
export const desktopPrograms = {
  darwin: ["terminal-notifier", "osascript", "bundled"],
  win32: ["toast", "balloon"],
} as const;
export type DesktopProgram = (typeof desktopPrograms)[keyof typeof desktopPrograms][number];

/** Program that reports success even if the system silently dropped its notification. */
export interface UnprovenProgram {
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** Steps for the user if nothing is visible, one sentence each, with the exact places in the system's settings. */
  readonly steps: readonly string[];
}

/** Port for notifications on this machine's desktop. */
export interface DesktopPort extends LocalPort {
  /**
   * Shows a notification. The texts are plain and cleaned; the port escapes them.
   * @returns identifiers for closing and replacing the notification, if the desktop supports both: on Linux and the
   * BSDs, over the session bus; on macOS with terminal-notifier; on Windows with toasts
   * @throws {DeliveryError} `unsupported` if no desktop can show the notification (the message says why), `timeout`
   */
  notify(request: {
    readonly title: string;
    readonly body: string;
    readonly urgency: "low" | "normal" | "critical";
    /** Absolute path of a PNG to show next to the texts. */
    readonly icon?: string;
    /** Category by which desktops and users may sort notifications, in the specification's form: `x-vendor.class`. */
    readonly category?: string;
    /** Earlier notification to replace; ignored if it is gone. The new notification alerts the user again. */
    readonly replaces?: ShownNotification;
    /** Program to try first, if the platform has it. */
    readonly driver?: DesktopProgram;
    /** TERM_PROGRAM of the agent's terminal. If the desktop supports it, a click brings this terminal to the front. */
    readonly terminalProgram?: string;
    /** Buttons to show if the desktop supports them and reports clicks: on Linux and the BSDs, over the session bus. */
    readonly buttons?: NotificationButtons;
    /** Absolute path of a program that the user configured. The program gets the arguments of `notify-send`. */
    readonly program?: string | undefined;
    /** Masks a text before it becomes a program argument, because other users can read a process's arguments. */
    readonly mask: (text: string) => string;
    readonly signal: AbortSignal;
  }): Promise<ShownNotification | undefined>;
  /**
   * Closes a notification. Also resolves if the notification or its desktop is gone.
   * @throws {DeliveryError} `timeout`, or `unavailable` if this process cannot reach the notification's desktop
   */
  close(request: { readonly shown: ShownNotification; readonly signal: AbortSignal }): Promise<void>;
  /**
   * Lists the available programs that report success even if nothing is visible, in the order in which they are tried.
   * Empty if the desktop confirms what it shows.
   */
  unproven(driver?: DesktopProgram): readonly UnprovenProgram[];
  /**
   * Finds out why notifications are invisible although all programs are present. Asks the session bus, or the first
   * available program; undefined if neither gives a reason.
   */
  problem(request: {
    readonly driver?: DesktopProgram;
    readonly signal: AbortSignal;
  }): Promise<string | Obstacle | undefined>;
  /** True while this process waits for clicks on a notification with buttons, for 15 minutes at most. */
  isListening(): boolean;
}

/** Functions of the desktop port that every way of showing notifications has. */
export type DesktopDriver = Pick<DesktopPort, "obstacle" | "notify">;

/** Port for sounds on this machine. */
export interface SoundPort extends LocalPort {
  /**
   * Plays a sound file, for 5 s at most.
   * @throws {DeliveryError} `unsupported` if there is no player or no audio device, `rejected` for an unusable file
   */
  play(request: {
    readonly file: string;
    /** Absolute path of a player that the user configured. The player's only argument is the file. */
    readonly program?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** Port for speech on this machine. */
export interface SpeechPort extends LocalPort {
  /**
   * Reads a plain text aloud.
   * @param request.voice name of a voice on this platform
   * @param request.language language of the text, as ISO 639-1 code. Without a `voice`, the port looks for a voice of
   * this language, else uses the platform's default. Ignored if `program` is set.
   * @param request.program absolute path of a program that the user configured; it reads the text from standard input
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
  /** Explains, with advice, why control sequences do not reach the terminal that the user sees; else undefined. */
  obstacle(): Promise<string | undefined>;
  /**
   * Writes to the terminal without blocking. @throws {DeliveryError} `unavailable` if the terminal takes no output now
   */
  write(text: string): Promise<void>;
}

/** Port for the terminals of this user's processes. */
export interface TerminalPort {
  /**
   * Finds the terminal of the first process in the list that is still running, belongs to this user and has a terminal.
   * On macOS and the BSDs, which do not list terminals, uses the terminal that the hook's environment identifies
   * uniquely. Otherwise undefined.
   */
  of(processes: readonly number[], recorded?: TerminalEnvironment): Promise<AgentTerminal | undefined>;
  /** Finds the terminal that this process runs in. */
  here(): Promise<AgentTerminal | undefined>;
}
