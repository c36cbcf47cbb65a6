import type { EventView } from "./event.ts";
import type { HttpPort } from "./http-port.ts";
import type { TerminalEnvironment } from "./terminal-environment.ts";
import type { relayedStates } from "./vocabulary.ts";

/**
 * Ports through which notifiers and lookups reach anything outside this process. Their implementations, in `io/`,
 * classify failures, enforce deadlines and keep secrets out of errors.
 */
export interface Ports {
  readonly http: HttpPort;
  readonly mail: MailPort;
  readonly exec: ExecPort;
  readonly desktop: DesktopPort;
  readonly sound: SoundPort;
  readonly speech: SpeechPort;
  readonly terminal: TerminalPort;
  readonly files: FilesPort;
  readonly clock: ClockPort;
  readonly host: HostPort;
  readonly presence: PresencePort;
  readonly focus: FocusPort;
  readonly relay: RelayPort;
}

/** Request to run a program. */
export interface ExecRequest {
  /** Absolute path of the program, or a name that is looked up as in `which`. Never a shell line. */
  readonly file: string;
  readonly args: readonly string[];
  /** Text for the program's standard input, which is then closed. Absent: the program reads from /dev/null. */
  readonly input?: string;
  /** Environment variables to add to those that every child gets: PATH, HOME, locale, session bus, display, audio. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Result of running a program. */
export interface ExecResult {
  /** Exit code; 128 + n if signal n ended the program. */
  readonly exitCode: number;
  /** First 4 KiB of standard output, cleaned. */
  readonly stdout: string;
  /** Last 4 KiB of standard error, cleaned. Errors usually come last. */
  readonly stderr: string;
}

/** Port for running other programs. */
export interface ExecPort {
  /** Runs a program in its own process group and waits until it ends. A timeout or an abort kills the whole group. */
  run(request: ExecRequest): Promise<ExecResult>;
  /**
   * Finds the absolute path of a program that the user named by path, or by a name on PATH. Ignores PATH folders inside
   * the project. Undefined if the program is not found.
   */
  which(file: string): string | undefined;
  /**
   * Finds the absolute path of a program that beckon chose by name. Searches the system's folders before PATH.
   * Undefined if the program is not found.
   */
  driver(name: string): string | undefined;
}

/** Port for this user's files. */
export interface FilesPort {
  /**
   * Appends a line to a regular file of this user. Creates a missing file with mode 0600. Rotates a file that would
   * exceed `maxBytes`: `path.1` is the newest of at most `kept` old files.
   */
  appendLine(path: string, line: string, rotation: { readonly maxBytes: number; readonly kept: number }): Promise<void>;
  /**
   * Reads the complete lines in the last `maxBytes` of a file, as UTF-8; undefined unless the path is a regular file of
   * this user. Never blocks on a FIFO or device. Of a line of any length, at least the beginning of each JSON string is
   * read; such lines are read in steps, 4 MiB in all.
   */
  readTail(path: string, maxBytes: number): Promise<string | undefined>;
  /**
   * Reads complete lines from the beginning of the line at `offset` on, about `maxBytes` at most. Returns the offset of
   * the next line too. A file that has become shorter is read from its beginning. Otherwise like `readTail`.
   */
  readFrom(path: string, offset: number, maxBytes: number): Promise<{ text: string; end: number } | undefined>;
  /** Reads the complete lines in the first `maxBytes` of a file. Otherwise like `readTail`. */
  readHead(path: string, maxBytes: number): Promise<string | undefined>;
  /** Returns the size of a regular file in bytes; undefined for anything else. */
  sizeBytes(path: string): Promise<number | undefined>;
  /** Lists the files in a folder and in its folders, 1,000 at most; empty if there is no such folder. */
  listFiles(folder: string): Promise<readonly { readonly path: string; readonly modifiedAtMs: number }[]>;
  /** Resolves to true if a path leads to an accessible folder. */
  isFolder(path: string): Promise<boolean>;
  /** Returns a path without symbolic links; undefined if nothing is there. */
  realPath(path: string): Promise<string | undefined>;
  /** Lists the names of the symbolic links in a folder, at most 1,000; empty for anything else. */
  listLinks(path: string): Promise<readonly string[]>;
}

/** Port for time. All code waits and measures through this port, so that tests need not wait. */
export interface ClockPort {
  /** Returns the current time, Unix milliseconds. May jump, because the user can change the clock. */
  now(): number;
  /** Returns the milliseconds since this process started. Unlike `now`, it never jumps. */
  uptimeMs(): number;
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once, after `ms` milliseconds. */
  after(ms: number, act: () => void): Timer;
  /** Calls `act` every `ms` milliseconds. */
  every(ms: number, act: () => void): Timer;
}

/** Pending timer. Does not keep the process running unless `ref` is called. */
export interface Timer {
  cancel(): void;
  /** Keeps the process running until the timer fires or is cancelled. */
  ref(): Timer;
}

/** Port for facts about this machine. */
export interface HostPort {
  /**
   * Returns this machine's host name up to the first dot if the user sits at another machine, as in an SSH session or a
   * container; otherwise undefined.
   */
  elsewhere(): string | undefined;
}

/** One step of bringing a terminal to the front: first the desktop window, then tabs and panes in the window. */
export interface FocusStep {
  /** Name of the step's target, as shown to the user: `the window`, `tmux's pane`, `kitty's window`. */
  readonly target: string;
  /** Reason why the step failed, as a clause to print after a colon; absent if the step succeeded. */
  readonly obstacle?: string;
}

/** Result of focusing a terminal. */
export interface FocusResult {
  /** True if every step succeeded, so that the user sees the terminal. */
  readonly isInFront: boolean;
  /** Steps from the outermost to the innermost; at least one. */
  readonly steps: readonly FocusStep[];
}

/** Port that brings terminals on this machine to the front. */
export interface FocusPort {
  /**
   * Brings an agent's terminal to the front: its window, tab and pane, as far as the desktop allows. Takes 5 s at most.
   * Never throws; failed steps are in the result.
   * @param processes process ids from the hook up to the agent; the processes may have ended
   * @param terminal terminal variables that the hook recorded; malformed values are ignored
   */
  focus(
    processes: readonly number[],
    terminal: TerminalEnvironment | undefined,
    signal?: AbortSignal,
  ): Promise<FocusResult>;
}

/** SMTP server with its login. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` encrypts from the first byte. `starttls` encrypts before login and mail, or fails. `none` never encrypts. */
  readonly security: "tls" | "starttls" | "none";
  readonly user?: string;
  readonly password?: string;
  /** Absolute path of a PEM file. Its certificates are trusted instead of the system's. */
  readonly ca?: string;
}

/** Mail in plain text. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Id of the event. The Message-ID is made from this id, so that every attempt has the same Message-ID. */
  readonly id: string;
  /**
   * Key shared by a thread's mails. Every mail of the thread refers to the same first mail. That mail does not exist;
   * its id is made from the key.
   */
  readonly thread?: string;
  readonly urgent: boolean;
}

/** Port for mail by SMTP. */
export interface MailPort {
  /**
   * Sends a mail; resolves when the server has accepted it.
   * @throws {DeliveryError} `auth` 530, 534, 535 · `rejected` other 5yz · `unavailable` 4yz, network · `timeout`
   */
  send(server: MailServer, mail: Mail, signal: AbortSignal): Promise<void>;
  /** Connects to the server and logs in, without sending a mail. @throws {DeliveryError} like `send` */
  verify(server: MailServer, signal: AbortSignal): Promise<void>;
}

/** Known facts about the user's presence. Unknown facts are absent. */
export interface Presence {
  /** True if the agent's pane, its tab and its window have the focus. Absent unless this is certain. */
  readonly isFocused?: boolean;
  /** Time of the last key press in the agent's terminal, Unix milliseconds. */
  readonly typedAtMs?: number;
  /** Time since the last input on this machine, milliseconds. */
  readonly idleMs?: number;
  readonly isLocked?: boolean;
  /** True if the desktop's do-not-disturb is on. */
  readonly isDoNotDisturb?: boolean;
}

/** Port for the presence of the user at this machine. */
export interface PresencePort {
  /**
   * Asks all sources of facts on this machine concurrently. Facts from a source that fails or is late are absent. Never
   * throws, starts no service, shows nothing.
   * @param limitMs longest time for the answers; default: 100 ms
   */
  ask(processes: readonly number[], limitMs?: number): Promise<Presence>;
  /**
   * Prepares a later call of `ask` for these processes, by loading what takes longer than 100 ms. Returns immediately.
   * Only the first call has an effect.
   */
  prepare(processes: readonly number[]): void;
  /** Returns the time of the last key press in the terminal of these processes, if known. Runs no program. */
  typedAtMs(processes: readonly number[]): number | undefined;
  /** Tells if a key press in the terminal of these processes would be noticed. */
  noticesKeys(processes: readonly number[]): boolean;
  /** Lists this user's processes with one of these names that are in a terminal. */
  findInTerminals(names: readonly string[]): readonly number[];
}

/** Connection to the user's own machine, with the recipients for whom events are encrypted. */
export type RelayTransport = {
  /** Recipients for `age` encryption, `age1…`. If empty, only the connection is encrypted, not the events. */
  readonly seal: readonly string[];
} & (
  | {
      /** Events wait in a folder until the user's machine fetches them. */
      readonly via: "stdio";
    }
  | {
      /** A NATS server keeps the events. */
      readonly via: "nats";
      /** Addresses of one or more servers, such as `tls://host:4222`. */
      readonly servers: readonly string[];
      /** Credentials from this machine's invitation, as JSON. */
      readonly creds: string;
    }
);

/** Report that an event on another machine changed its state. */
export interface RelayedState {
  /** Id of the event on the machine that sent the event. */
  readonly id: string;
  readonly state: (typeof relayedStates)[number];
  /** Time of the change, Unix milliseconds. */
  readonly atMs: number;
  /** Cause of the change, as named in the journal. */
  readonly by?: string | undefined;
}

/** Port for sending events to beckon on the user's own machine. */
export interface RelayPort {
  /**
   * Sends an event. A second call for the same event replaces what the first call sent.
   * @returns id of the event on the user's machine, the same for every call: `r_` and 43 of `[A-Za-z0-9_-]`, impossible
   * to guess
   * @throws {DeliveryError} `unavailable` if the event cannot be stored now, `rejected` for an invalid recipient,
   * `auth`
   */
  send(transport: RelayTransport, view: EventView): Promise<string>;
  /**
   * Sends new states of events. A state names its event by the id on this machine.
   * @throws {DeliveryError} like `send`
   */
  sendStates(transport: RelayTransport, states: readonly RelayedState[]): Promise<void>;
}

/** Reason why something cannot work on this machine, with advice. */
export interface Obstacle {
  readonly message: string;
  readonly hint?: string;
  /** Part that works all the same, such as `bell only`; absent if nothing does. */
  readonly remains?: string;
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
  /** Explains why notifications have no buttons that answer requests; undefined if they may have some. Starts nothing. */
  answerObstacle(signal: AbortSignal): Promise<string | undefined>;
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
  obstacle(): Promise<Obstacle | undefined>;
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
