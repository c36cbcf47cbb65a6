import type { HttpPort } from "./http-port.ts";
import type { DesktopPort, SoundPort, SpeechPort, TerminalPort } from "./machine-ports.ts";
import type { MailPort } from "./mail-port.ts";

/**
 * The only doors to the outside, as notifiers and lookups see them. Implementations live in `io/`; they classify
 * failures, keep deadlines and hold no secrets in their errors.
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
}

export interface ExecRequest {
  /** A program's name, looked up on PATH's absolute entries, or its absolute path. Never a shell line. */
  readonly file: string;
  readonly args: readonly string[];
  /** Written to its standard input, which is closed afterwards; without it the program reads from /dev/null. */
  readonly input?: string;
  /** Added to the short allow-list of variables a child gets (PATH, HOME, locale, session bus, display, audio). */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  /** The exit code; 128 + n for signal n. */
  readonly exitCode: number;
  /** The first 4 KiB of standard output and of standard error, cleaned. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface ExecPort {
  /**
   * Runs a program in its own process group and waits for it. At the deadline or abort the whole group is killed.
   * @throws {DeliveryError} `unsupported` when there is no such program, `timeout`
   */
  run(request: ExecRequest): Promise<ExecResult>;
  /** The absolute path of a program, given by its name on PATH or by an absolute path, or undefined. Relative PATH entries are not searched. */
  which(file: string): string | undefined;
}

export interface FilesPort {
  /**
   * Adds a line to a file of this user's, which is created (0600) where it is missing. A file that would grow beyond
   * `maxBytes` is set aside first: `path.1` is the newest of the `kept` old ones.
   * @throws {DeliveryError} `rejected` for what is no regular file of this user's, or cannot be written
   */
  appendLine(path: string, line: string, rotation: { readonly maxBytes: number; readonly kept: number }): Promise<void>;
  /**
   * The last `maxBytes` of a file as UTF-8, from the first whole line on; undefined unless it is a regular file of this
   * user's. Never blocks on a FIFO or device.
   */
  readTail(path: string, maxBytes: number): Promise<string | undefined>;
  /** The first `maxBytes` of a file, up to the last whole line; same conditions. */
  readHead(path: string, maxBytes: number): Promise<string | undefined>;
}

export interface ClockPort {
  /** Unix milliseconds. */
  now(): number;
}
