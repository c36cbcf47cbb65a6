import type { CheckCall } from "./notifier-call.ts";

/** Help for setting up a notifier at a terminal. Only `beckon config add` loads it. */
export interface SetupGuide {
  /** Sentences shown before the first question, such as which app to install. */
  readonly intro?: readonly string[];
  /** Descriptions of where to find a setting's value, by setting. Every required setting has one. */
  readonly where: Readonly<Record<string, string>>;
  /** Names of the notifier's `variants` for users, in the same order. */
  readonly variants?: readonly string[];
  /** Functions that explain why a valid value will hardly work; undefined if it may. By setting. */
  readonly doubts?: Readonly<Record<string, (value: string) => string | undefined>>;
  /** Functions that return a suggested value, by setting. */
  readonly suggestions?: Readonly<Record<string, () => string>>;
  /** Finders that ask the service for a setting's possible values, by setting. */
  readonly finders?: Readonly<Record<string, AnswerFinder>>;
  /**
   * Returns the steps that are left before a message can arrive.
   * @param settings as the user gave them; references are not resolved
   */
  lastSteps?(settings: Readonly<Record<string, unknown>>): SetupSteps;
  /** Advice if no message has arrived, one sentence per line. Set for every phone app, and for no other notifier. */
  readonly ifSilent?: readonly string[];
}

/** Steps for the user. */
export interface SetupSteps {
  readonly lines: readonly string[];
  /** Address to open on a phone, shown as a QR code too. */
  readonly address?: string;
}

/** Value of a setting that was found at the service, with a name for the user. */
export interface FoundAnswer {
  readonly value: string;
  readonly label: string;
}

/**
 * Arguments of a finder's functions, with the settings known so far. References are resolved. Values are strings that
 * are not yet validated.
 */
export type FinderCall = CheckCall<Readonly<Record<string, unknown>>>;

/** Finder of a setting's possible values at the service. */
export interface AnswerFinder {
  /** Name of the secret setting that the service checks. If the service refuses it, the user can enter another. */
  readonly credential: string;
  /** Question that offers the found values as choices. */
  readonly question: string;
  /**
   * Names the account in which `find` searches, if its service lets only one program read at a time. The worker does not
   * read meanwhile. The name contains a secret.
   */
  account?(settings: FinderCall["settings"]): string;
  /** Text of the choice with which the user confirms the steps of `prepare`. */
  readonly done: string;
  /** Text of the choice that searches again while the values found so far are listed. */
  readonly more: string;
  /**
   * Returns the steps that the user must do before `find` can find values.
   * @throws {DeliveryError} if the service refuses
   */
  prepare(call: FinderCall): Promise<SetupSteps>;
  /**
   * Lists the values; empty if there are none yet.
   * @throws {DeliveryError} if the service refuses
   */
  find(call: FinderCall): Promise<readonly FoundAnswer[]>;
}
