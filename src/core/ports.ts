import type { FailureReason } from "./errors.ts";

/**
 * The only doors to the outside, as notifiers and lookups see them. Implementations live in `io/`; they classify
 * failures, keep deadlines and hold no secrets in their errors.
 */
export interface Ports {
  readonly http: HttpPort;
  readonly exec: ExecPort;
  readonly desktop: DesktopPort;
  readonly sound: SoundPort;
  readonly files: FilesPort;
  readonly clock: ClockPort;
}

export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Most bytes of the reply that are read, default 65,536; the rest is dropped and `truncated` set. */
  readonly maxReplyBytes?: number;
}

export interface HttpReply {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Set when the body was longer than `maxReplyBytes`: `body` is only its beginning. */
  readonly truncated?: true;
}

/** Why a receiver did not take a message, as its reply says. Words of its reply are not repeated: they may be ours. */
export interface Refusal {
  readonly reason: FailureReason;
  /** Fixed words and codes, e.g. `answered with code 19021 (signature or clock)`. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Where the reply says it in a way of its own; `Retry-After` and its kin are read anyway. */
  readonly retryAfterMs?: number;
}

export interface HttpPort {
  /**
   * One request, no redirect followed. Resolves for every status but 3xx.
   * @throws {DeliveryError} `redirect`, `timeout`, `unavailable`
   */
  send(request: HttpRequest): Promise<HttpReply>;
  /**
   * One request, JSON by POST unless it says otherwise. Resolves for 2xx only, and only if `judge` finds no refusal.
   * @param request.judge what the reply's body says, asked for every status; undefined: the status decides
   * @throws {DeliveryError} `auth` 401, 403, 404, 410 · `rate-limited` 429 · `rejected` other 4xx · `unavailable` 408,
   * 425, 5xx, network · `timeout` · `redirect`; with `retryAfterMs` where the receiver said when
   */
  post(request: HttpRequest & { judge?(reply: HttpReply): Refusal | undefined }): Promise<HttpReply>;
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

export interface DesktopPort {
  /** Why nothing can be shown here, as far as that can be told without showing anything; undefined if nothing is known. */
  obstacle(): string | undefined;
  /**
   * Shows a notification on this machine's desktop. Texts are plain and cleaned; escaping is done inside.
   * @throws {DeliveryError} `unsupported` where there is no desktop to show it on (the message says why), `timeout`
   */
  notify(request: {
    readonly title: string;
    readonly body: string;
    readonly urgency: "low" | "normal" | "critical";
    readonly signal: AbortSignal;
  }): Promise<void>;
}

export interface SoundPort {
  /** Why nothing can be played here, as far as that can be told without playing anything; undefined if nothing is known. */
  obstacle(): string | undefined;
  /**
   * Plays a sound file, 5 s at most.
   * @throws {DeliveryError} `unsupported` where there is no player or no audio device, `rejected` for an unusable file
   */
  play(request: { readonly file: string; readonly signal: AbortSignal }): Promise<void>;
}

export interface FilesPort {
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
