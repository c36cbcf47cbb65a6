import type { FocusPort } from "./focus-port.ts";
import type { HttpPort } from "./http-port.ts";
import type { DesktopPort, SoundPort, SpeechPort, TerminalPort } from "./machine-ports.ts";
import type { MailPort } from "./mail-port.ts";
import type { PresencePort } from "./presence-port.ts";
import type { RelayPort } from "./relay-port.ts";

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
   * this user. Never blocks on a FIFO or device.
   */
  readTail(path: string, maxBytes: number): Promise<string | undefined>;
  /** Reads the complete lines in the first `maxBytes` of a file. Otherwise like `readTail`. */
  readHead(path: string, maxBytes: number): Promise<string | undefined>;
  /** Returns the size of a regular file in bytes; undefined for anything else. */
  sizeBytes(path: string): Promise<number | undefined>;
  /** Resolves to true if a path leads to an accessible folder. */
  isFolder(path: string): Promise<boolean>;
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
