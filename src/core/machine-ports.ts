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

export interface SpeechPort {
  /** Why nothing can be said here, as far as that can be told without saying anything; undefined if nothing is known. */
  obstacle(): string | undefined;
  /**
   * Says a plain text aloud.
   * @param request.voice a voice of the platform's, by its own name
   * @throws {DeliveryError} `unsupported` where there is no program that speaks, or it cannot; `timeout`
   */
  say(request: { readonly text: string; readonly voice?: string; readonly signal: AbortSignal }): Promise<void>;
}

/** What a program in a terminal says of it. */
export interface Terminal {
  /** The variables that tell one terminal from another, as the program has them: TERM, TERM_PROGRAM, TMUX … */
  readonly env: Readonly<Record<string, string>>;
  /** Writes to it, at once or not at all. @throws {DeliveryError} `unavailable` where it takes nothing */
  write(text: string): Promise<void>;
}

export interface TerminalPort {
  /** The terminal of the first of these processes that still runs, is this user's and has one; else undefined. */
  of(processes: readonly number[]): Promise<Terminal | undefined>;
}
