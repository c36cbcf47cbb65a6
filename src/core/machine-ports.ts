import type { TerminalEnvironment } from "./terminal-environment.ts";

/** Why something cannot work on this machine, and what to do about it. */
export interface Obstacle {
  readonly message: string;
  readonly hint?: string;
}

/** A port that may not work on this machine. */
interface LocalPort {
  /**
   * Why it does not work here, found out without showing or playing anything; undefined if no reason is known.
   * @param program the user's own program, in place of those that beckon would choose
   */
  obstacle(program?: string): Obstacle | undefined;
}

/**
 * A notification that was shown, as desktops tell them apart: its number, the service and bus that gave it, and that
 * bus' address, because the worker that closes it may run without a session.
 */
export type ShownNotification = { readonly id: number; readonly owner: string; readonly bus?: string };

/** The buttons of a notification, and who hears what the person does with it. */
export interface NotificationButtons {
  /** What they say; `focus` is a click on the notification itself. */
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

/**
 * A program whose success does not tell whether anybody can see what it shows: the system drops it, and says nothing.
 */
export interface UnprovenProgram {
  readonly name: string;
  /** As people know it. */
  readonly title: string;
  /** What to do where nothing is seen, a sentence each: the exact places in the system's settings. */
  readonly steps: readonly string[];
}

/** Notifications on this machine's desktop. */
export interface DesktopPort extends LocalPort {
  /**
   * Shows a notification. The texts are plain and cleaned; the port escapes them.
   * @returns what it can be closed and replaced by, on desktops that tell: on Linux and the BSDs, over the session bus;
   * on macOS by terminal-notifier; on Windows by toasts
   * @throws {DeliveryError} `unsupported` where no desktop can show it (the message says why), `timeout`
   */
  notify(request: {
    readonly title: string;
    readonly body: string;
    readonly urgency: "low" | "normal" | "critical";
    /** Absolute path of a PNG to show beside the texts. */
    readonly icon?: string;
    /** What desktops and their users may sort notifications by, as the specification writes it: `x-vendor.class`. */
    readonly category?: string;
    /** One that was shown before: this one takes its place and is shown as new. One that is gone is ignored. */
    readonly replaces?: ShownNotification;
    /** Tried before the others, where the platform has it. */
    readonly driver?: DesktopProgram;
    /**
     * What the agent's terminal calls itself in TERM_PROGRAM: where the desktop can, a click brings it to the front.
     */
    readonly terminalProgram?: string;
    /** Shown where the desktop has buttons and tells of them: on Linux and the BSDs, over the session bus. */
    readonly buttons?: NotificationButtons;
    /** The user's own program, by absolute path; it gets the arguments of `notify-send`. */
    readonly program?: string | undefined;
    /** What becomes of a text where it can only be shown through a program's arguments, which other users can read. */
    readonly mask: (text: string) => string;
    readonly signal: AbortSignal;
  }): Promise<ShownNotification | undefined>;
  /**
   * Closes a notification. Resolves also where it is gone, or its desktop is.
   * @throws {DeliveryError} `timeout`, or `unavailable` if its desktop cannot be reached from this process
   */
  close(request: { readonly shown: ShownNotification; readonly signal: AbortSignal }): Promise<void>;
  /**
   * The unproven programs that could be started now, in the order in which they are tried; none where a desktop tells.
   */
  unproven(driver?: DesktopProgram): readonly UnprovenProgram[];
  /**
   * What keeps notifications from being seen although nothing is missing: what the session bus says, or the first
   * program of itself; undefined if they say nothing.
   */
  problem(request: {
    readonly driver?: DesktopProgram;
    readonly signal: AbortSignal;
  }): Promise<string | Obstacle | undefined>;
  /** Whether a notification shows whose buttons are listened to. It is until it is closed, for 15 minutes at most. */
  isListening(): boolean;
}

/** A desktop port for notifications of which nothing is known once they are shown. */
export type DesktopDriver = Pick<DesktopPort, "obstacle" | "notify">;

/** Sounds on this machine. */
export interface SoundPort extends LocalPort {
  /**
   * Plays a sound file, for 5 s at most.
   * @throws {DeliveryError} `unsupported` where there is no player or no audio device, `rejected` for an unusable file
   */
  play(request: {
    readonly file: string;
    /** The user's own player, by absolute path; its only argument is the file. */
    readonly program?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** Speech on this machine. */
export interface SpeechPort extends LocalPort {
  /**
   * Reads a plain text aloud.
   * @param request.voice the platform's own name of a voice
   * @param request.language the text's language, by its ISO 639-1 code: without a `voice`, one that speaks it is looked
   * for; absent, or where there is none, the platform's own choice speaks. Not for the user's own program.
   * @param request.program the user's own program, by absolute path; it reads the text from its standard input
   * @throws {DeliveryError} `unsupported` where no program can speak, `timeout`
   */
  say(request: {
    readonly text: string;
    readonly voice?: string;
    readonly language?: string;
    readonly program?: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** The terminal that an agent runs in. */
export interface AgentTerminal {
  /** The variables of the agent's environment that identify the terminal: TERM, TERM_PROGRAM, TMUX … */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Why control sequences do not get through to the terminal that a person looks at, and what to do; undefined: they
   * do.
   */
  obstacle(): Promise<string | undefined>;
  /** Writes to the terminal without blocking. @throws {DeliveryError} `unavailable` where it takes no output now */
  write(text: string): Promise<void>;
}

/** The terminals of this user's processes. */
export interface TerminalPort {
  /**
   * The terminal of the first of these processes that still runs, is this user's and has one; where processes tell
   * nothing of their terminals (macOS, the BSDs), the one that the hook's environment leads to, if it leads to no
   * other. Else undefined.
   */
  of(processes: readonly number[], recorded?: TerminalEnvironment): Promise<AgentTerminal | undefined>;
  /** The terminal that this process runs in. */
  here(): Promise<AgentTerminal | undefined>;
}
