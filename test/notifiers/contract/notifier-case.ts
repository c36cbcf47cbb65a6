import type { FailureReason } from "../../../src/core/errors.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import type { Message } from "../../../src/core/message.ts";
import type { Receipt } from "../../../src/core/notifier-call.ts";
import type { Ports } from "../../../src/core/ports.ts";
import type { Behaviour, Captured } from "../../world/hostile-server.ts";
import type { ReactionWorld } from "./describe-reactions.ts";

/** A secret that must never be shown; 20 characters absent from every service's texts. */
export const canary = "cAnArY4711cAnArY4711";

/** Time of every delivery, Unix milliseconds. */
export const nowMs = Date.parse("2026-11-20T12:00:00Z");

/** The event that every case sends. */
export const event = {
  id: "evt-1",
  atMs: nowMs,
  event: "Notification",
  nativeEvent: "Notification",
  agent: "claude",
  kind: "needs-you",
  sessionId: "s-1",
  cwd: "/code/shop",
  project: "shop",
  message: "May I run the tests?",
  extra: {},
} as const satisfies AgentEvent;

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
  /** Name of the variant, if the notifier has several. */
  readonly variant?: string;
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
  /** Advice that the failure must have. */
  readonly hint?: RegExp;
}

/** Failure with a pause of this length, in milliseconds. */
export const limited = (waitMs: number): Expected => ({ reason: "rate-limited", waitMs });
/** Failure that the user must fix, with advice. */
export const hinted: Expected = { reason: "auth", hint: /`\w+`/ };

/** A receiver that keeps the rules of a real receiver, or that is real. */
export interface ChangeWorld {
  /** The notifier's settings for the receiver, with `canary` in every secret. */
  readonly settings: object;
  /** Ports that lead to the receiver; by default those of this process. */
  readonly ports?: Ports;
  /** The visible messages as people read them, oldest first. */
  listActive(): Promise<readonly Reading[]>;
  /** Removes all messages, as a user does. */
  removeAll(): Promise<void>;
  /** Restarts the receiver without its messages. If its ids start over, new messages get the ids of old ones. */
  beginAnew(): Promise<void>;
  /** Makes the receiver refuse the next request, if possible. */
  refuseNext?(): void;
  /** Ends the time in which messages can be edited, if the receiver has such a limit. */
  endEdits?(): void;
  close(): Promise<void>;
}

/** The notifier's part of the contract of changes. */
export interface ChangeCase {
  start(): Promise<ChangeWorld>;
  /** Visible text after the message is withdrawn: none, or the message marked as done. */
  readonly withdrawn: "nothing" | "done";
  /** True if the world has `endEdits`. */
  readonly editsEnd?: true;
  /** A text as the receiver shows it; unchanged by default. */
  shownAs?(text: string): string;
  /** Failure reason that `refuseNext` causes. */
  readonly refusal?: FailureReason;
  /** Receipts that none of the notifier's messages can have. */
  readonly foreign?: readonly object[];
  /** Settings for a variant whose messages cannot be changed, and a receipt of that variant. */
  readonly otherVariant?: { readonly settings: object; readonly receipt: Receipt };
}

/** The notifier's part of the contract of `probe`. */
export interface ProbeCase {
  /** Settings for a test server, with `canary` in every secret; those of `httpCase` by default. */
  settings?(origin: string): Readonly<Record<string, unknown>>;
  /** The only request of the probe. */
  readonly asks: Pick<Captured, "method" | "path">;
  readonly success: Behaviour;
  /** True if the endpoint needs no credentials and so cannot reject them. */
  readonly addressOnly?: true;
}

/** A service's answers to a change, for the contract. */
export interface ReplyCase {
  /** Settings for a test server. */
  settings(origin: string): object;
  /** The receipt of a message. */
  readonly receipt: Receipt;
  /** Answers that mean the message can no longer change, which is not a failure. */
  readonly final: readonly (readonly [title: string, reply: Behaviour])[];
  /** Answers that are failures. */
  readonly failures: readonly (readonly [title: string, reply: Behaviour, reason: FailureReason])[];
  /** Number of requests per change; default: 1. */
  readonly requests?: number;
}

/** The notifier's part of the contract of reactions. */
export interface ReactionCase {
  start(): Promise<ReactionWorld>;
  /** Failure reason that `refuseNext` causes. */
  readonly refusal: FailureReason;
  /** Receipts that none of the notifier's messages can have. */
  readonly foreign: readonly Receipt[];
  /** Settings without the button. */
  readonly off: object;
}

/** The cases of a notifier. */
export interface Cases {
  readonly httpCase: NotifierCase;
  /** Cases of a notifier that has several variants. */
  readonly httpCases: readonly NotifierCase[];
  readonly changeCase: ChangeCase;
  readonly replyCase: ReplyCase;
  readonly reactionCase: ReactionCase;
  readonly probeCase: ProbeCase;
}
