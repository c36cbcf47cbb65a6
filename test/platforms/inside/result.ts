/** What came of a check. */
export interface CheckResult {
  readonly name: string;
  readonly ms: number;
  /** What to print beside the name. */
  readonly note?: string;
  /** Why it failed; absent if it did not. */
  readonly failure?: string;
  /** Calls of the system's programs, where the check is to record them. */
  readonly calls?: readonly Call[];
}

/** How a program was called. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables that beckon sets for it. */
  readonly env: Readonly<Record<string, string>>;
  /** What it was given on standard input; empty if nothing. */
  readonly input: string;
}
