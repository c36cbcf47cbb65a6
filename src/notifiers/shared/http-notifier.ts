import { createHash, createHmac } from "node:crypto";
import type * as z from "zod";
import type { HttpPort, HttpReply, HttpRequest, ReplyRules } from "../../core/http-port.ts";
import type { Lifecycle, Notifier, NotifierDeclaration, Verification } from "../../core/notifier.ts";
import type { ChangeCall, CheckCall, NotifierCall, Receipt } from "../../core/notifier-call.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { certificateFile } from "./settings.ts";

/** HTTP request that a notifier builds, by default a POST with JSON. */
export type OutgoingRequest = Omit<HttpRequest, "signal">;

/**
 * Rule for requests about something other than a new message: builds them and classifies the replies. Default: replies
 * are classified as for a new message.
 */
interface RequestRule<Argument> extends Pick<ReplyRules, "isGone" | "classifyReply"> {
  /** Builds one request, or several to send in turn. Undefined if there is nothing to ask. */
  request(from: Argument): OutgoingRequest | readonly OutgoingRequest[] | undefined;
}

/** Rule for changing a sent message. It builds no request if the message cannot be changed. */
export type ChangeRule<Settings> = RequestRule<ChangeCall<Settings>>;

/** Any call of an HTTP notifier. Only calls about a message have a `remark`. */
export type AnyCall<Settings> = CheckCall<Settings> & Partial<Pick<NotifierCall<Settings>, "remark">>;

/**
 * Parts of a notifier that sends one HTTP request: a pure function that builds the request, and reply rules. In calls,
 * `ports.http.post` adds the entry's `ca` and the notifier's reply rules to a request. Only a notifier that needs
 * several requests for one message has its own `send`.
 */
export interface HttpNotifierParts<Name extends string, Schema extends z.ZodObject>
  extends Omit<NotifierDeclaration<Name, Schema>, "reach" | "platforms" | "budgetMs" | "lifecycle">,
    Pick<ReplyRules, "classifyReply" | "hints">,
    Partial<Pick<Notifier<Name, Schema>, "budgetMs" | "send">> {
  request(call: NotifierCall<z.output<Schema>>): OutgoingRequest;
  /** Builds the requests to send before `request`, for a text in several messages. */
  requestsBefore?(call: NotifierCall<z.output<Schema>>): readonly OutgoingRequest[];
  /** Reads the receipt for later changes from the reply. Undefined if the message cannot be changed. */
  receipt?(reply: HttpReply, call: NotifierCall<z.output<Schema>>): Receipt | undefined;
  /** Rule for updating a message. An updated message keeps its receipt. Default: `edit`. */
  readonly update?: ChangeRule<z.output<Schema>>;
  /** Rule for withdrawing a message. Default: `edit`. */
  readonly withdraw?: ChangeRule<z.output<Schema>>;
  /** Rule for replacing a message's text in a chat, which is a record: its messages are marked as done, never deleted. */
  readonly edit?: ChangeRule<z.output<Schema>>;
  readonly lifecycle?: Omit<Lifecycle<z.output<Schema>>, "notice">;
  /**
   * Rule for verifying settings, by default with GET. It builds no request for settings that cannot be verified. Absent
   * if the service has no request that verifies settings without sending a message.
   */
  readonly verification?: RequestRule<z.output<Schema>> & Pick<Verification<z.output<Schema>>, "probesAddressOnly">;
  /** Changes how a call's requests are posted, except those of `verification`. Default: unchanged. */
  wrapPost?(post: HttpPort["post"], call: AnyCall<z.output<Schema>>): HttpPort["post"];
}

/** A notifier made from its parts; tests can call the pure parts. */
export type HttpNotifier<Name extends string, Schema extends z.ZodObject> = Notifier<Name, Schema> &
  Pick<HttpNotifierParts<Name, Schema>, "request" | "classifyReply" | "receipt">;

/** Makes a notifier that sends through the HTTP port. Adds the setting `ca`, for a server with a private authority. */
export function defineHttpNotifier<const Name extends string, Schema extends z.ZodObject>(
  parts: HttpNotifierParts<Name, Schema>,
): HttpNotifier<Name, Schema> {
  const { verification, hints, edit, update = edit, withdraw = edit, lifecycle = {}, wrapPost, ...declaration } = parts;
  const { reactions, repeats } = lifecycle;
  const rules: ReplyRules = omitUndefined({ classifyReply: parts.classifyReply, hints });
  const prepare = <Call extends AnyCall<z.output<Schema>>>(call: Call, wrap = wrapPost): Call => {
    const { http } = call.ports;
    const { ca } = call.settings as { readonly ca?: string };
    const plain: HttpPort["post"] = (request) => http.post({ ...rules, ...request, ca });
    return { ...call, ports: { ...call.ports, http: { ...http, post: wrap?.(plain, call) ?? plain } } };
  };
  return {
    budgetMs: 10_000,
    ...declaration,
    settings: parts.settings.extend({ ca: certificateFile() }) as unknown as Schema, // notifiers need not know `ca`
    reach: "network",
    async send(call) {
      const prepared = prepare(call);
      if (parts.send) return await parts.send(prepared);
      const { post } = prepared.ports.http;
      for (const before of parts.requestsBefore?.(prepared) ?? []) await post({ ...before, signal: call.signal });
      const reply = await post({ ...parts.request(prepared), signal: call.signal });
      return parts.receipt?.(reply, prepared);
    },
    ...(update && { update: (call) => postAll(update, call, prepare(call)) }),
    ...(withdraw && { withdraw: (call) => postAll(withdraw, call, prepare(call)) }),
    ...(parts.lifecycle && {
      lifecycle: {
        ...lifecycle,
        ...(reactions && { reactions: { ...reactions, find: (call) => reactions.find(prepare(call)) } }),
        ...(repeats && { repeats: { ...repeats, repeat: (call) => repeats.repeat(prepare(call)) } }),
      },
    }),
    ...(verification && {
      verification: {
        ...omitUndefined({ probesAddressOnly: verification.probesAddressOnly }),
        canProbe: (settings) => verification.request(settings) !== undefined,
        probe: (call) =>
          postAll(
            verification,
            call.settings,
            prepare(call, (post) => (request) => post({ method: "GET", ...request })),
          ),
      },
    }),
  };
}

async function postAll<Argument>(
  { request, isGone, classifyReply }: RequestRule<Argument>,
  from: Argument,
  { ports, signal }: CheckCall<unknown>,
): Promise<undefined> {
  const rules = omitUndefined({ isGone, classifyReply });
  for (const outgoing of [request(from) ?? []].flat()) await ports.http.post({ ...outgoing, ...rules, signal });
}

/** Lifecycle of messages that only a bot can edit. @param place what allows edits */
export const botLifecycle = (place: string) =>
  ({ withdrawn: "marked as done", condition: `only as a bot, while the ${place} allows edits` }) as const;

/** Sets query parameters of an address, replacing parameters with the same names. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Computes the HMAC-SHA-256 of a text, in base64. */
export function hmacBase64(key: string | Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

/**
 * Computes the first hexadecimal digits of a text's SHA-256.
 * @param digits number of digits; 16 are enough to distinguish the texts of one sender
 */
export function shortHash(text: string, digits = 16): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

/**
 * Builds the id of a message at its receiver. All attempts use the same id, so a repeated attempt replaces the first
 * message. Each message has its own id, because ntfy's app for Android does not ring for a second message with the same
 * id while it still shows the first. A test message, which has no thread, can be withdrawn too.
 * https://docs.ntfy.sh/publish/#updating-deleting-notifications
 */
export function buildMessageId({ thread, message }: NotifierCall<unknown>): string {
  return `${thread?.key ?? "beckon"}-${shortHash(message.id)}`;
}
