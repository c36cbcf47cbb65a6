import { hostname } from "node:os";
import type * as z from "zod";
import type { HttpReply, HttpRequest, ReplyRules } from "../../core/http-port.ts";
import type { Message } from "../../core/message.ts";
import type { Lifecycle, Notifier, NotifierDeclaration, ReactionsRule, RepeatsRule } from "../../core/notifier.ts";
import type {
  AnswerOffer,
  ChangeCall,
  CheckCall,
  Labels,
  NotifierCall,
  ReactionsCall,
  Receipt,
  Thread,
} from "../../core/notifier-call.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { askAny } from "./ask-any.ts";
import { type AuthorizeRule, authorizer } from "./authorize.ts";
import { certificateFile } from "./file-settings.ts";

/** HTTP request that a notifier builds, by default a POST with JSON. */
export interface OutgoingRequest extends Omit<HttpRequest, "signal" | "maxReplyBytes"> {
  /** Addresses of more servers that get the same request. The request succeeds if at least one server accepts it. */
  readonly alsoTo?: readonly string[];
}

/** Values from which a notifier builds its requests. */
export interface RequestParts<Settings> {
  readonly settings: Settings;
  readonly message: Message;
  /** Thread of the message, as in `NotifierCall`. */
  readonly thread?: Thread;
  /** Button labels, as in `NotifierCall`; absent in a test message, where a button would do nothing. */
  readonly labels?: Labels;
  /** True for the fallback form, as in `NotifierCall`. */
  readonly isFallback: boolean;
  /** Current time, Unix milliseconds. */
  readonly nowMs: number;
  /** Set if a newer message replaces this one, as in `ChangeCall`. */
  readonly isSuperseded?: boolean;
  /** Name of the machine that the event came from, or of this machine if the event names none. */
  readonly host?: string;
  /** Permission request that the message's buttons may answer, and its end, as in `NotifierCall`. */
  readonly offer?: AnswerOffer;
  readonly outcome?: string;
}

/**
 * Rule for changing a sent message: builds the request and classifies the reply. Default: replies are classified as for
 * a new message.
 */
export interface ChangeRule<Settings> extends Pick<ReplyRules, "isGone" | "classifyReply"> {
  /** Builds one request, or several to send in turn. Undefined if the message cannot be changed. */
  request(parts: RequestParts<Settings>, receipt: Receipt): OutgoingRequest | readonly OutgoingRequest[] | undefined;
}

/**
 * Sends a request with the entry's `ca`, the call's deadline and the notifier's reply rules, which `ownRules` can
 * replace.
 */
export type Ask = (
  request: OutgoingRequest & Pick<HttpRequest, "maxReplyBytes">,
  ownRules?: ReplyRules,
) => Promise<HttpReply>;

/** `ReactionsRule` of an HTTP notifier. Its `find` sends requests through `ask`. */
export interface HttpReactionsRule<Settings> extends Omit<ReactionsRule<Settings>, "find"> {
  find(call: ReactionsCall<Settings>, ask: Ask): Promise<readonly Receipt[]>;
}

/** `RepeatsRule` of an HTTP notifier. It builds the request that repeats an open message. */
export interface HttpRepeatsRule<Settings>
  extends Omit<RepeatsRule<Settings>, "repeat">,
    Pick<ChangeRule<Settings>, "request"> {}

/** `Lifecycle` of an HTTP notifier. Its rules build requests and do not send them. */
export interface HttpLifecycle<Settings> extends Omit<Lifecycle<Settings>, "notice" | "reactions" | "repeats"> {
  /** Rule for finding messages that somebody has marked as seen. */
  readonly reactions?: HttpReactionsRule<Settings>;
  /** Rule for repeating open messages. */
  readonly repeats?: HttpRepeatsRule<Settings>;
}

/** Requests that verify address and credentials without sending a message. */
export interface HttpVerification<Settings> extends Pick<ReplyRules, "classifyReply"> {
  /** Builds one request, or several to send in turn, by default GET. Undefined if these settings cannot be verified. */
  request(settings: Settings): OutgoingRequest | readonly OutgoingRequest[] | undefined;
  /** Set if the requests check the address but no credentials. */
  readonly addressOnly?: true;
}

/** Parts of a notifier that sends one HTTP request: a pure function that builds the request, and reply rules. */
export interface HttpNotifierParts<Name extends string, Schema extends z.ZodObject>
  extends Omit<NotifierDeclaration<Name, Schema>, "reach" | "platforms" | "budgetMs" | "lifecycle">,
    ReplyRules {
  /** Longest time of one attempt, milliseconds; default: ten seconds. */
  readonly budgetMs?: number;
  request(parts: RequestParts<z.output<Schema>>): OutgoingRequest;
  /**
   * Builds a second request, which is sent after the first was accepted. If the second fails, the whole attempt is
   * repeated.
   */
  followUp?(reply: HttpReply, parts: RequestParts<z.output<Schema>>): OutgoingRequest | undefined;
  /** Reads the receipt for later changes from the reply. Undefined if the message cannot be changed. */
  receipt?(reply: HttpReply, parts: RequestParts<z.output<Schema>>): Receipt | undefined;
  /** Rule for updating a message. An updated message keeps its receipt. */
  readonly update?: ChangeRule<z.output<Schema>>;
  /** Rule for withdrawing a message. */
  readonly withdraw?: ChangeRule<z.output<Schema>>;
  readonly lifecycle?: HttpLifecycle<z.output<Schema>>;
  /** Rule for verifying settings. Absent if the service has no request that verifies them without sending a message. */
  readonly verification?: HttpVerification<z.output<Schema>>;
  /** Rule for the token of all requests except `verification`. Absent if the settings alone authenticate requests. */
  readonly authorize?: AuthorizeRule<z.output<Schema>>;
}

/** A notifier made from its parts; tests can call the pure parts. */
export type HttpNotifier<Name extends string, Schema extends z.ZodObject> = Notifier<Name, Schema> &
  Pick<HttpNotifierParts<Name, Schema>, "request" | "classifyReply" | "receipt">;

type AskCall<Settings> = CheckCall<Settings> & Partial<Pick<NotifierCall<Settings>, "remark">>;

/** Makes a notifier that sends through the HTTP port. Adds the setting `ca`, for a server with a private authority. */
export function defineHttpNotifier<const Name extends string, Schema extends z.ZodObject>(
  parts: HttpNotifierParts<Name, Schema>,
): HttpNotifier<Name, Schema> {
  const { verification, hints, update, withdraw, lifecycle, followUp, authorize, ...declaration } = parts;
  const settings = parts.settings.extend({ ca: certificateFile() });
  const readCa = (values: unknown) => (values as z.output<typeof settings>).ca as string | undefined;
  const rules: ReplyRules = omitUndefined({ classifyReply: parts.classifyReply, hints });
  const authorized = authorize && authorizer(authorize);
  const selectPost = (call: AskCall<z.output<Schema>>) =>
    authorized?.(call, readCa(call.settings)) ?? call.ports.http.post;
  const createAsk = (call: AskCall<z.output<Schema>>, post = selectPost(call)): Ask => {
    const { settings, signal, remark } = call;
    const ca = readCa(settings);
    return ({ alsoTo = [], ...request }, ownRules) => {
      const askServer = (url: string, signal: AbortSignal) =>
        post({ ...request, ...rules, ...ownRules, url, ca, signal });
      return alsoTo.length === 0
        ? askServer(request.url, signal)
        : askAny([request.url, ...alsoTo], askServer, signal, remark);
    };
  };
  return {
    budgetMs: 10_000,
    ...declaration,
    settings: settings as unknown as Schema, // notifiers need not know `ca`
    reach: "network",
    async send(call) {
      const from = buildParts(call);
      const ask = createAsk(call);
      const reply = await ask(parts.request(from));
      const next = followUp?.(reply, from);
      if (next) await ask(next);
      return parts.receipt?.(reply, from);
    },
    ...(update && { update: (call) => sendChange(update, call, createAsk(call)) }),
    ...(withdraw && { withdraw: (call) => sendChange(withdraw, call, createAsk(call)) }),
    ...(lifecycle && { lifecycle: withRequests(lifecycle, createAsk) }),
    ...(verification && {
      verification: {
        ...omitUndefined({ probesAddressOnly: verification.addressOnly }),
        canProbe: (settings) => verification.request(settings) !== undefined,
        async probe(call) {
          const requests = verification.request(call.settings) ?? [];
          const ask = createAsk(call, call.ports.http.post);
          const ownRule = omitUndefined({ classifyReply: verification.classifyReply });
          for (const outgoing of [requests].flat()) await ask({ method: "GET", ...outgoing }, ownRule);
        },
      },
    }),
  };
}

/** Converts a lifecycle's rules that build requests to functions that send these requests. */
function withRequests<S>(
  { reactions, repeats, ...facts }: HttpLifecycle<S>,
  createAsk: (call: CheckCall<S>) => Ask,
): Lifecycle<S> {
  return {
    ...facts,
    ...(repeats && {
      repeats: { ...repeats, repeat: async (call) => void (await sendChange(repeats, call, createAsk(call))) },
    }),
    ...(reactions && { reactions: { ...reactions, find: (call) => reactions.find(call, createAsk(call)) } }),
  };
}

async function sendChange<S>(
  { request, isGone, classifyReply }: ChangeRule<S>,
  call: ChangeCall<S>,
  ask: Ask,
): Promise<undefined> {
  const ownRules = omitUndefined({ isGone, classifyReply });
  const parts = { ...buildParts(call), ...omitUndefined({ isSuperseded: call.isSuperseded }) };
  const requests = request(parts, call.receipt) ?? [];
  for (const outgoing of [requests].flat()) await ask(outgoing, ownRules);
}

function buildParts<S>(call: NotifierCall<S>): RequestParts<S> {
  const { settings, message, view, thread, labels, isFallback, ports, offer, outcome } = call;
  const host = view.event.host ?? hostname();
  const parts = { settings, message, host, isFallback, nowMs: ports.clock.now(), ...omitUndefined({ offer, outcome }) };
  return { ...parts, ...(thread && { thread, labels }) };
}

/** Makes an `authorization` header for a user name without `:`. https://www.rfc-editor.org/rfc/rfc7617#section-2 */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** Sets query parameters of an address, replacing parameters with the same names. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
