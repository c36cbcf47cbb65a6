import type { FailureReason } from "../../../src/core/errors.ts";
import type { Message } from "../../../src/core/message.ts";
import type { Behaviour, Captured } from "../../world/hostile-server.ts";

/** A secret that must never be shown; 20 characters that no service's own words contain. */
export const canary = "cAnArY4711cAnArY4711";

/** A message as its reader sees it. */
export interface Reading {
  readonly title: string;
  readonly body: string;
}

/** The reading of a text whose first line is the title. */
export function readLines(text: string): Reading {
  const [title = "", ...lines] = text.split("\n");
  return { title, body: lines.join("\n") };
}

/** The reading of a message that has a title, or a text alone. */
export function readTitled({ title, message }: { readonly title?: string; readonly message: string }): Reading {
  return title === undefined ? { title: message, body: "" } : { title, body: message };
}

/** What the contract needs to know of a notifier besides its declaration. */
export interface NotifierCase {
  /** Settings for a server of the test's, with `canary` in every secret. */
  settings(origin: string): Readonly<Record<string, unknown>>;
  /** The service's answer to a message that it took. */
  readonly success: Behaviour;
  /** The service's own answers to a message that it did not take, with the failure each must lead to. */
  readonly rejections: readonly (readonly [title: string, behaviour: Behaviour, expected: Expected | FailureReason])[];
  /** True where the service documents no body for success, so that a captive portal cannot be recognized. */
  readonly anySuccess?: true;
  /** Statuses of 408, 425 and 500 that the service's own rules forbid to try again. */
  readonly final?: readonly number[];
  /** The message that a person reads, decoded from the request, by a real parser where there is one. */
  read(request: Pick<Captured, "body" | "path" | "headers">, message: Message): Reading;
  /** Throws (`expect`) where a payload is invalid or exceeds the service's own limit. */
  valid(request: Pick<Captured, "body" | "path" | "headers">): void;
  /** Mentions and markup of the service, which must have no effect. */
  readonly mentions: readonly string[];
}

/** The failure that a message must lead to. */
export interface Expected {
  readonly reason: FailureReason;
  /** How long the notifier is paused, milliseconds. */
  readonly waitMs?: number;
  /** Whether the notifier must say what to do about it. */
  readonly hinted?: true;
}
