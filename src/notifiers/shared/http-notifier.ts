import type * as z from "zod";
import type { HttpRequest, ReplyRules } from "../../core/http-port.ts";
import type { Message } from "../../core/message.ts";
import type { Notifier, NotifierDeclaration } from "../../core/notifier.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { certificateFile } from "./file-settings.ts";

/** The request of a notifier; a POST of JSON unless it says otherwise. */
export type OutgoingRequest = Omit<HttpRequest, "signal" | "maxReplyBytes">;

/** What a notifier makes its request from. */
export interface RequestParts<Settings> {
  readonly settings: Settings;
  readonly message: Message;
  /** Whether this is the fallback form, as in `NotifierCall`. */
  readonly isFallback: boolean;
  /** The time for signatures, Unix milliseconds. */
  readonly nowMs: number;
}

/** The parts of a notifier that is one HTTP request: a pure function that makes it, and rules for its reply. */
export interface HttpNotifierParts<Name extends string, Schema extends z.ZodObject>
  extends Omit<NotifierDeclaration<Name, Schema>, "reach" | "platforms" | "budgetMs">,
    ReplyRules {
  /** Longest one attempt may take, milliseconds; default: ten seconds. */
  readonly budgetMs?: number;
  request(parts: RequestParts<z.output<Schema>>): OutgoingRequest;
  /** A request that checks address and credentials without sending a message, where the service has one. */
  readonly probe?: {
    /** The request, a GET unless it says otherwise. */
    request(settings: z.output<Schema>): OutgoingRequest;
    /** Default: the rule for the replies to messages. */
    readonly classifyReply?: ReplyRules["classifyReply"];
    /** Set where the request checks no credentials. */
    readonly addressOnly?: true;
  };
}

/** A notifier made from its parts; the pure ones stay accessible to tests. */
export type HttpNotifier<Name extends string, Schema extends z.ZodObject> = Notifier<Name, Schema> &
  Pick<HttpNotifierParts<Name, Schema>, "request" | "classifyReply">;

/** Makes a notifier that sends through the HTTP port. To its settings comes `ca`, for a server with its own authority. */
export function defineHttpNotifier<const Name extends string, Schema extends z.ZodObject>(
  parts: HttpNotifierParts<Name, Schema>,
): HttpNotifier<Name, Schema> {
  const { probe, hints, ...declaration } = parts;
  const settings = parts.settings.extend({ ca: certificateFile() });
  const caOf = (values: unknown) => (values as z.output<typeof settings>).ca as string | undefined;
  const rules: ReplyRules = omitUndefined({ classifyReply: parts.classifyReply, hints });
  return {
    budgetMs: 10_000,
    ...declaration,
    settings: settings as unknown as Schema, // no notifier needs to know of `ca`
    reach: "network",
    async send({ settings, message, isFallback, ports, signal }) {
      const request = parts.request({ settings, message, isFallback, nowMs: ports.clock.now() });
      await ports.http.post({ ...request, ...rules, ca: caOf(settings), signal });
    },
    ...(probe && {
      ...omitUndefined({ probesAddressOnly: probe.addressOnly }),
      async probe({ settings, ports, signal }) {
        const ownRule = omitUndefined({ classifyReply: probe.classifyReply });
        await ports.http.post({
          method: "GET",
          ...probe.request(settings),
          ...rules,
          ...ownRule,
          ca: caOf(settings),
          signal,
        });
      },
    }),
  };
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
