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

/** Program to run. */
export interface ExecRequest {
  /** Absolute path of the program, or its name, which is looked up like in `which`. Never a shell line. */
  readonly file: string;
  readonly args: readonly string[];
  /** Text for the program's standard input, which is then closed; without it the program reads from /dev/null. */
  readonly input?: string;
  /** Variables to add to the short list that every child gets (PATH, HOME, locale, session bus, display, audio). */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Result of a program. */
export interface ExecResult {
  /** Exit code; 128 + n for signal n. */
  readonly exitCode: number;
  /** First 4 KiB, cleaned. */
  readonly stdout: string;
  /** Last 4 KiB, cleaned, because errors come last. */
  readonly stderr: string;
}

/** Port for other programs. */
export interface ExecPort {
  /**
   * Runs a program in its own process group and waits for its end. The deadline or an abort kills the whole group.
   * @throws {DeliveryError} `unsupported` if there is no such program, `timeout`
   */
  run(request: ExecRequest): Promise<ExecResult>;
  /**
   * Finds the absolute path of a program that the user named, or undefined: by absolute path, or by name in PATH
   * without project folders.
   */
  which(file: string): string | undefined;
  /** Finds the absolute path of a program that beckon chose, or undefined: by name, in the system's folders first. */
  driver(name: string): string | undefined;
}

/** Port for this user's files. */
export interface FilesPort {
  /**
   * Appends a line to a regular file of this user, created with mode 0600 if it is missing. A file that would exceed
   * `maxBytes` is rotated first: `path.1` is the newest of the `kept` old files.
   * @throws {DeliveryError} `rejected` if the file is anything else or cannot be written
   */
  appendLine(path: string, line: string, rotation: { readonly maxBytes: number; readonly kept: number }): Promise<void>;
  /**
   * Reads the complete lines within the last `maxBytes` of a file, as UTF-8; undefined unless it is a regular file of
   * this user. Never blocks on a FIFO or device.
   */
  readTail(path: string, maxBytes: number): Promise<string | undefined>;
  /** Reads the complete lines within the first `maxBytes` of a file, under the same conditions. */
  readHead(path: string, maxBytes: number): Promise<string | undefined>;
  /** Returns the size of a regular file, bytes; undefined for anything else. */
  sizeBytes(path: string): Promise<number | undefined>;
  /** Resolves to true if a path leads to an accessible folder. */
  isFolder(path: string): Promise<boolean>;
}

/** Port for time. All waiting and measuring uses it, so that tests need not wait. */
export interface ClockPort {
  /** Returns the current time, Unix milliseconds; the user may change the clock. */
  now(): number;
  /** Returns the milliseconds since this process started; clock changes do not affect it. */
  uptimeMs(): number;
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once, after `ms` milliseconds. */
  after(ms: number, act: () => void): Timer;
  /** Calls `act` every `ms` milliseconds. */
  every(ms: number, act: () => void): Timer;
}

/** Pending timer. It does not keep the process running unless `ref` is called. */
export interface Timer {
  cancel(): void;
  /** Keeps the process running until the timer fires or is cancelled. */
  ref(): Timer;
}

/** Port for the machine this runs on. */
export interface HostPort {
  /**
   * Returns its name, the first label, if the user sits at another machine: in an SSH session and in a container;
   * otherwise undefined.
   */
  elsewhere(): string | undefined;
}
