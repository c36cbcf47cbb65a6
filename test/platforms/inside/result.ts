/** Outcome of a check. */
export interface CheckResult {
  readonly name: string;
  readonly ms: number;
  /** Details to print next to the name. */
  readonly note?: string;
  /** Reason for a failure; absent on success. */
  readonly failure?: string;
  /** Calls of the system's programs, if the check records them. */
  readonly calls?: readonly Call[];
}

/** A recorded call of a program. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables that beckon sets for the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input; may be empty. */
  readonly input: string;
}
