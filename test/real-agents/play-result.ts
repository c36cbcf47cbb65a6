import type { Call } from "./session.ts";

/** Name of the file in a sandbox's `out` folder that holds a `Played`. */
export const resultFile = "result.json";

/** Result of playing a scenario once, with hooks or without. */
export interface Played {
  readonly calls: readonly Call[];
  /** Deviations of the agent from the scenario: a missing screen, a program that did not end. */
  readonly troubles: readonly string[];
  /** Screens that were kept, by the moment. */
  readonly screens: Readonly<Record<string, string>>;
  /** Lines about hooks or beckon that were on the screen at any moment. */
  readonly printed: readonly string[];
  /** Lines of the agent's input to the model. */
  readonly modelLines: readonly string[];
  readonly seconds: number;
  /** Figures to be printed. */
  readonly remarks?: readonly string[];
}
