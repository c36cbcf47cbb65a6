import type { FocusPort } from "./focus-port.ts";
import type { HttpPort } from "./http-port.ts";
import type { DesktopPort, SoundPort, SpeechPort, TerminalPort } from "./machine-ports.ts";
import type { MailPort } from "./mail-port.ts";
import type { PresencePort } from "./presence-port.ts";
import type { RelayPort } from "./relay-port.ts";

/**
 * The ports through which notifiers and lookups reach anything outside this process. Their implementations, in `io/`,
 * classify failures, enforce deadlines and keep secrets out of their errors.
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

/** A program to run. */
export interface ExecRequest {
  /** The program's absolute path, or its name, which is looked up as by `which`. Never a shell line. */
  readonly file: string;
  readonly args: readonly string[];
  /** Written to the program's standard input, which is then closed; without it the program reads from /dev/null. */
  readonly input?: string;
  /** Added to the short list of variables that every child gets (PATH, HOME, locale, session bus, display, audio). */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface ExecResult {
  /** The exit code; 128 + n for signal n. */
  readonly exitCode: number;
  /** The first 4 KiB, cleaned. */
  readonly stdout: string;
  /** The last 4 KiB, cleaned: what went wrong comes last. */
  readonly stderr: string;
}

/** Other programs. */
export interface ExecPort {
  /**
   * Runs a program in its own process group and waits for its end; the deadline or an abort kills the whole group.
   * @throws {DeliveryError} `unsupported` where there is no such program, `timeout`
   */
  run(request: ExecRequest): Promise<ExecResult>;
  /**
   * Absolute path of a program that a person named, or undefined; by absolute path, or by name in those folders of PATH
   * that are no project's.
   */
  which(file: string): string | undefined;
  /** Absolute path of a program that beckon chose itself, or undefined; by name, in the system's folders first. */
  driver(name: string): string | undefined;
}

/** This user's files. */
export interface FilesPort {
  /**
   * Appends a line to a regular file of this user's, created with mode 0600 if it is missing. A file that would exceed
   * `maxBytes` is rotated first: `path.1` is the newest of the `kept` old files.
   * @throws {DeliveryError} `rejected` where the file is anything else or cannot be written
   */
  appendLine(path: string, line: string, rotation: { readonly maxBytes: number; readonly kept: number }): Promise<void>;
  /**
   * The whole lines within the last `maxBytes` of a file, as UTF-8; undefined unless it is a regular file of this
   * user's. Never blocks on a FIFO or device.
   */
  readTail(path: string, maxBytes: number): Promise<string | undefined>;
  /** The whole lines within the first `maxBytes` of a file, under the same conditions. */
  readHead(path: string, maxBytes: number): Promise<string | undefined>;
  /** Size of a regular file, bytes; undefined where there is none. */
  sizeBytes(path: string): Promise<number | undefined>;
  /** Whether a path leads to a folder that can be looked at. */
  isFolder(path: string): Promise<boolean>;
}

/** Time: whoever waits or measures takes it from here, so that tests need not wait. */
export interface ClockPort {
  /** Current time, Unix milliseconds; the user may set it. */
  now(): number;
  /** Milliseconds since this process started; nobody sets it. */
  uptimeMs(): number;
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once, after `ms` milliseconds. */
  after(ms: number, act: () => void): Timer;
  /** Calls `act` every `ms` milliseconds. */
  every(ms: number, act: () => void): Timer;
}

/** A pending timer. It does not keep the process running unless `ref` is called. */
export interface Timer {
  cancel(): void;
  /** Keeps the process running until the timer fires or is cancelled. */
  ref(): Timer;
}

/** The machine this runs on. */
export interface HostPort {
  /**
   * Its name, the first label, where the person sits at another machine: in a session over SSH and in a container;
   * undefined elsewhere.
   */
  elsewhere(): string | undefined;
}
