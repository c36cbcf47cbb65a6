import type { FailureReason } from "../../../src/core/errors.ts";
import type { Message } from "../../../src/core/message.ts";
import type { Behaviour, Captured } from "../../world/hostile-server.ts";

/** A secret that must never be shown; 20 characters absent from every service's texts. */
export const canary = "cAnArY4711cAnArY4711";

/** A message as its reader sees it. */
export interface Reading {
  readonly title: string;
  readonly body: string;
}

/** Reads a text whose first line is the title. */
export function readLines(text: string): Reading {
  const [title = "", ...lines] = text.split("\n");
  return { title, body: lines.join("\n") };
}

/** Reads a message with a title, or with text alone. */
export function readTitled({ title, message }: { readonly title?: string; readonly message: string }): Reading {
  return title === undefined ? { title: message, body: "" } : { title, body: message };
}

/** Test data for a notifier in addition to its declaration. */
export interface NotifierCase {
  /** Settings for a test server, with `canary` in every secret. */
  settings(origin: string): Readonly<Record<string, unknown>>;
  /** The service's answer to an accepted message. */
  readonly success: Behaviour;
  /** The service's own answers to a rejected message, with the expected failures. */
  readonly rejections: readonly (readonly [title: string, behaviour: Behaviour, expected: Expected | FailureReason])[];
  /** True if the service documents no body for success, so that a captive portal cannot be recognized. */
  readonly anySuccess?: true;
  /** The statuses among 408, 425 and 500 that the service forbids to retry. */
  readonly final?: readonly number[];
  /** Reads the message as a person would see it, from the request and with a real parser if there is one. */
  read(request: Pick<Captured, "body" | "path" | "headers">, message: Message): Reading;
  /** Throws (`expect`) if a payload is invalid or exceeds the service's own limit. */
  valid(request: Pick<Captured, "body" | "path" | "headers">): void;
  /** The service's mentions and markup, which must have no effect. */
  readonly mentions: readonly string[];
}

/** The expected failure of a message. */
export interface Expected {
  readonly reason: FailureReason;
  /** Length of the notifier's pause, milliseconds. */
  readonly waitMs?: number;
  /** True if the failure must have advice. */
  readonly hinted?: true;
}
