import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { threadKey } from "../attention/session-keys.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText } from "../core/json-value.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { AnswerChoice } from "../core/permission-reply.ts";
import { findProcess } from "../files/process-table.ts";
import type { AskOutcome } from "../pipeline/run-state.ts";
import type { OpenAsk } from "./ask-files.ts";
import type { AnswerableRequest } from "./judge-request.ts";
import type { AgentProcess, KeyWatch } from "./requester.ts";

/** Permission request that may be held. */
export interface HoldableRequest extends AnswerableRequest {
  /** Watch for the key press that ends the wait; absent if the agent's own dialog is open meanwhile. */
  readonly keys: KeyWatch | undefined;
}

/** Permission request that waits for an answer. All times are process uptime in milliseconds. */
export interface HeldAsk extends HoldableRequest {
  readonly event: AgentEvent;
  /** Key of the session; see `threadKey`. */
  readonly thread: string;
  /** Id of the sub-agent that asks; empty for the session's main agent. */
  readonly subAgent: string;
  readonly openedAtMs: number;
  readonly endsAtMs: number;
  readonly hook: AgentProcess;
  /** Number of the session's requests within two minutes, including this one. */
  readonly recentCount: number;
  /** Times when the request became visible, by notifier. */
  readonly shownAtMs: Map<string, number>;
  /** Receipts of the messages about the request, by notifier. */
  readonly receipts: Map<string, Receipt[]>;
}

/** Makes a request that waits for an answer. */
export function makeAsk(
  event: AgentEvent,
  request: HoldableRequest,
  times: Pick<HeldAsk, "openedAtMs" | "endsAtMs" | "hook" | "recentCount">,
): HeldAsk {
  const subAgent = asText(event.extra.agent_id) ?? "";
  return { ...request, ...times, event, thread: threadKey(event), subAgent, shownAtMs: new Map(), receipts: new Map() };
}

/** Maximum number of open requests in a session. */
export const maxOpen = 3;

/** Makes the short name of a request for buttons, from 66 bits of a hash. A receiver can hand the name back. */
export function makeReference(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 11);
}

/** Makes and checks the tokens of answer buttons. The key is random and never leaves this process. */
export class AnswerTokens {
  readonly #key = randomBytes(32);

  /** Makes the 22-character token with which one notifier can give one answer to one request. */
  make({ event, hash }: Pick<HeldAsk, "event" | "hash">, choice: AnswerChoice, notifier: string): string {
    const text = JSON.stringify([event.id, choice, hash, notifier]);
    return createHmac("sha256", this.#key).update(text).digest("base64url").slice(0, 22);
  }

  /** Finds the choice that a token stands for; undefined for an invalid token. */
  findChoice(ask: HeldAsk, token: string, notifier: string): AnswerChoice | undefined {
    const given = Buffer.from(token);
    return ask.choices.find((choice) => {
      const expected = Buffer.from(this.make(ask, choice, notifier));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** True while the hook of a request is running. */
export function isHookWaiting({ hook }: Pick<HeldAsk, "hook">): boolean {
  const found = findProcess(hook.pid);
  return found !== undefined && (hook.startTicks === undefined || found.startTicks === hook.startTicks);
}

/** Describes an open request for `beckon answer` and the board. */
export function describeOpen({ event, lines, hash, choices, denyOnly, openedAtMs, endsAtMs }: HeldAsk): OpenAsk {
  const { id, agent, project, atMs, cwd = "", sessionId = "" } = event;
  const untilMs = atMs + endsAtMs - openedAtMs;
  return {
    id,
    agent,
    project,
    cwd,
    sessionId,
    lines: [...lines],
    hash,
    choices: [...choices],
    ...omitUndefined({ denyOnly }),
    atMs,
    untilMs,
    worker: process.pid,
  };
}

/** Requests of this worker that have ended, and those that were never held. */
export class EndedAsks {
  readonly #byId = new Map<string, { readonly event: AgentEvent; readonly outcome: AskOutcome | undefined }>();

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Adds a request. @param outcome end that its messages show; absent if nobody was asked elsewhere */
  add(event: AgentEvent, outcome?: AskOutcome): void {
    if (!this.#byId.has(event.id)) this.#byId.set(event.id, { event, outcome });
  }

  findOutcome({ id }: Pick<AgentEvent, "id">): AskOutcome | undefined {
    return this.#byId.get(id)?.outcome;
  }

  /** Finds the event of a request by the reference in its buttons. */
  findEvent(reference: string): AgentEvent | undefined {
    return [...this.#byId.values()].find(({ event }) => makeReference(event.id) === reference)?.event;
  }
}
