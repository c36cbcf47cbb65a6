import { hostname } from "node:os";
import type * as z from "zod";
import type { HttpReply, HttpRequest, ReplyRules } from "../../core/http-port.ts";
import type { Message } from "../../core/message.ts";
import type { Lifecycle, Notifier, NotifierDeclaration, ReactionsRule, RepeatsRule } from "../../core/notifier.ts";
import type {
  ChangeCall,
  CheckCall,
  Labels,
  NotifierCall,
  ReactionsCall,
  Receipt,
  Thread,
} from "../../core/notifier-call.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type AuthorizeRule, authorizer } from "./authorize.ts";
import { certificateFile } from "./file-settings.ts";
import { oneOf } from "./several-servers.ts";

/** The request of a notifier; a POST of JSON unless it says otherwise. */
export interface OutgoingRequest extends Omit<HttpRequest, "signal" | "maxReplyBytes"> {
  /** Addresses of further servers that get it as well. It is delivered if one of all has taken it. */
  readonly alsoTo?: readonly string[];
}

/** What a notifier makes its request from. */
export interface RequestParts<Settings> {
  readonly settings: Settings;
  readonly message: Message;
  /** What the message belongs to, as in `NotifierCall`. */
  readonly thread?: Thread;
  /** The texts of buttons, as in `NotifierCall`; absent in a test message, where a button would do nothing. */
  readonly labels?: Labels;
  /** Whether this is the fallback form, as in `NotifierCall`. */
  readonly isFallback: boolean;
  /** The time for signatures, Unix milliseconds. */
  readonly nowMs: number;
  /** Where a message is withdrawn, as in `ChangeCall`. */
  readonly isMoved?: boolean;
  /** Name of the agent's machine, as far as the message may say it. */
  readonly host?: string;
}

/** How a message is changed that was sent, and what the replies mean; by default what they mean to a message. */
export interface ChangeRule<Settings> extends Pick<ReplyRules, "isGone" | "classifyReply"> {
  /** The request, or several in turn; undefined for a receipt that none of this notifier's messages can have. */
  request(parts: RequestParts<Settings>, receipt: Receipt): OutgoingRequest | readonly OutgoingRequest[] | undefined;
}

/** Makes a request as `send` does, with its `ca`, its deadline and, but for those given, its rules for replies. */
export type Ask = (
  request: OutgoingRequest & Pick<HttpRequest, "maxReplyBytes">,
  ownRules?: ReplyRules,
) => Promise<HttpReply>;

/** How a receiver is asked for reactions: `ReactionsRule`, whose `find` makes its requests with `ask`. */
export interface HttpReactionsRule<Settings> extends Omit<ReactionsRule<Settings>, "find"> {
  find(call: ReactionsCall<Settings>, ask: Ask): Promise<readonly Receipt[]>;
}

/** How a message is repeated while it is open: `RepeatsRule`, as a request. */
export interface HttpRepeatsRule<Settings>
  extends Omit<RepeatsRule<Settings>, "repeat">,
    Pick<ChangeRule<Settings>, "request"> {}

/** Fate of a message once it is sent: `Lifecycle`, whose later requests are made for the notifier. */
export interface HttpLifecycle<Settings> extends Omit<Lifecycle<Settings>, "notice" | "reactions" | "repeats"> {
  /** How the receiver is asked if somebody has marked messages as seen. */
  readonly reactions?: HttpReactionsRule<Settings>;
  /** How the receiver is told again of what is open. */
  readonly repeats?: HttpRepeatsRule<Settings>;
}

/** Requests that verify address and credentials without sending a message. */
export interface HttpVerification<Settings> extends Pick<ReplyRules, "classifyReply"> {
  /** One request or several in turn, GET unless they say otherwise; undefined if these settings lead to none. */
  request(settings: Settings): OutgoingRequest | readonly OutgoingRequest[] | undefined;
  /** Set if the requests check no credentials. */
  readonly addressOnly?: true;
}

/** The parts of a notifier that is one HTTP request: a pure function that makes it, and rules for its reply. */
export interface HttpNotifierParts<Name extends string, Schema extends z.ZodObject>
  extends Omit<NotifierDeclaration<Name, Schema>, "reach" | "platforms" | "budgetMs" | "lifecycle">,
    ReplyRules {
  /** Longest one attempt may take, milliseconds; default: ten seconds. */
  readonly budgetMs?: number;
  request(parts: RequestParts<z.output<Schema>>): OutgoingRequest;
  /** A second request, once the receiver has taken the message. If it fails, so does the attempt: both are repeated. */
  followUp?(reply: HttpReply, parts: RequestParts<z.output<Schema>>): OutgoingRequest | undefined;
  /** What the message can be changed by, from the reply to it; undefined where it cannot be. */
  receipt?(reply: HttpReply, parts: RequestParts<z.output<Schema>>): Receipt | undefined;
  /** How a message is updated, which keeps its receipt. */
  readonly update?: ChangeRule<z.output<Schema>>;
  /** How a message is withdrawn. */
  readonly withdraw?: ChangeRule<z.output<Schema>>;
  readonly lifecycle?: HttpLifecycle<z.output<Schema>>;
  /** Absent if the service has no such request. */
  readonly verification?: HttpVerification<z.output<Schema>>;
  /** Token that all these requests but those of `verification` carry; absent if settings alone say who sends. */
  readonly authorize?: AuthorizeRule<z.output<Schema>>;
}

/** A notifier made from its parts; the pure ones stay accessible to tests. */
export type HttpNotifier<Name extends string, Schema extends z.ZodObject> = Notifier<Name, Schema> &
  Pick<HttpNotifierParts<Name, Schema>, "request" | "classifyReply" | "receipt">;

type AskCall<Settings> = CheckCall<Settings> & Partial<Pick<NotifierCall<Settings>, "remark">>;

/** Makes a notifier that sends through the HTTP port. Its settings get a `ca`, for a server with its own authority. */
export function defineHttpNotifier<const Name extends string, Schema extends z.ZodObject>(
  parts: HttpNotifierParts<Name, Schema>,
): HttpNotifier<Name, Schema> {
  const { verification, hints, update, withdraw, lifecycle, followUp, authorize, ...declaration } = parts;
  const settings = parts.settings.extend({ ca: certificateFile() });
  const caOf = (values: unknown) => (values as z.output<typeof settings>).ca as string | undefined;
  const rules: ReplyRules = omitUndefined({ classifyReply: parts.classifyReply, hints });
  const authorized = authorize && authorizer(authorize);
  const postBy = (call: AskCall<z.output<Schema>>) => authorized?.(call, caOf(call.settings)) ?? call.ports.http.post;
  const askBy = (call: AskCall<z.output<Schema>>, post = postBy(call)): Ask => {
    const { settings, signal, remark } = call;
    const ca = caOf(settings);
    return ({ alsoTo = [], ...request }, ownRules) => {
      const askAt = (url: string, signal: AbortSignal) => post({ ...request, ...rules, ...ownRules, url, ca, signal });
      return alsoTo.length === 0 ? askAt(request.url, signal) : oneOf([request.url, ...alsoTo], askAt, signal, remark);
    };
  };
  return {
    budgetMs: 10_000,
    ...declaration,
    settings: settings as unknown as Schema, // no notifier needs to know of `ca`
    reach: "network",
    async send(call) {
      const from = partsOf(call);
      const ask = askBy(call);
      const reply = await ask(parts.request(from));
      const next = followUp?.(reply, from);
      if (next) await ask(next);
      return parts.receipt?.(reply, from);
    },
    ...(update && { update: (call) => changeBy(update, call, askBy(call)) }),
    ...(withdraw && { withdraw: (call) => changeBy(withdraw, call, askBy(call)) }),
    ...(lifecycle && { lifecycle: withRequests(lifecycle, askBy) }),
    ...(verification && {
      verification: {
        ...omitUndefined({ probesAddressOnly: verification.addressOnly }),
        canProbe: (settings) => verification.request(settings) !== undefined,
        async probe(call) {
          const requests = verification.request(call.settings) ?? [];
          const ask = askBy(call, call.ports.http.post);
          const ownRule = omitUndefined({ classifyReply: verification.classifyReply });
          for (const one of [requests].flat()) await ask({ method: "GET", ...one }, ownRule);
        },
      },
    }),
  };
}

/** Makes the rules of a lifecycle from those whose requests are made by `askBy`. */
function withRequests<S>(
  { reactions, repeats, ...facts }: HttpLifecycle<S>,
  askBy: (call: CheckCall<S>) => Ask,
): Lifecycle<S> {
  return {
    ...facts,
    ...(repeats && {
      repeats: { ...repeats, repeat: async (call) => void (await changeBy(repeats, call, askBy(call))) },
    }),
    ...(reactions && { reactions: { ...reactions, find: (call) => reactions.find(call, askBy(call)) } }),
  };
}

async function changeBy<S>(
  { request, isGone, classifyReply }: ChangeRule<S>,
  call: ChangeCall<S>,
  ask: Ask,
): Promise<undefined> {
  const ownRules = omitUndefined({ isGone, classifyReply });
  const parts = { ...partsOf(call), ...omitUndefined({ isMoved: call.isMoved }) };
  const requests = request(parts, call.receipt) ?? [];
  for (const one of [requests].flat()) await ask(one, ownRules);
}

function partsOf<S>(call: NotifierCall<S>): RequestParts<S> {
  const { settings, message, view, thread, labels, isFallback, ports } = call;
  const host = view.event.host ?? hostname();
  return { settings, message, host, isFallback, nowMs: ports.clock.now(), ...(thread && { thread, labels }) };
}

/** The value of an `authorization` header for a user without `:`. https://www.rfc-editor.org/rfc/rfc7617#section-2 */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** An address with these query parameters, which replace its own of the same names. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
