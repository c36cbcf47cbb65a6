import type { Call } from "./session.ts";

/** The file in a sandbox's `out` that holds a `Played`. */
export const resultFile = "result.json";

/** What came of playing a scenario once, with hooks or without. */
export interface Played {
  readonly calls: readonly Call[];
  /** Where agent and scenario parted: a screen that never came, a program that did not end. */
  readonly troubles: readonly string[];
  /** Screens by the moment at which they were kept. */
  readonly screens: Readonly<Record<string, string>>;
  /** Lines about hooks or beckon that were on the screen at any moment. */
  readonly printed: readonly string[];
  /** Lines of what the agent told the model. */
  readonly told: readonly string[];
  readonly seconds: number;
}
