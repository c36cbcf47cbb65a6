import type * as z from "zod";
import type { HttpRequest, Judgement } from "../../core/http-port.ts";
import type { Message } from "../../core/message.ts";
import type { CheckCall, Notifier, NotifierCall, NotifierDeclaration } from "../../core/notifier.ts";

/** What is to be asked or posted: JSON by POST unless it says otherwise. */
export type OutgoingRequest = Omit<HttpRequest, "signal" | "maxReplyBytes">;

/** What a request is made from. */
export interface RequestParts<Settings> {
  readonly settings: Settings;
  readonly message: Message;
  /** As in `NotifierCall`. */
  readonly plain: boolean;
  /** Unix milliseconds, for signatures. */
  readonly nowMs: number;
}

/** A notifier that is one HTTP request: what goes out, and what the reply means. Both are pure. */
export interface HttpNotifierParts<Name extends string, Schema extends z.ZodObject>
  extends Omit<NotifierDeclaration<Name, Schema>, "reach" | "platforms">,
    Judgement {
  request(parts: RequestParts<z.output<Schema>>): OutgoingRequest;
  /** The service's own way to check address and credentials without telling anybody anything. */
  readonly probe?: Pick<Judgement, "judge"> & {
    request(settings: z.output<Schema>): OutgoingRequest;
    /** Set where no credentials are asked for. */
    readonly addressOnly?: true;
  };
}

/** A notifier made from its parts, which stay visible for tests. */
export type HttpNotifier<Name extends string, Schema extends z.ZodObject> = Notifier<Name, Schema> &
  Pick<HttpNotifierParts<Name, Schema>, "request" | "judge">;

/** Makes a notifier of a declaration, its request and its judgement of the reply. */
export function defineHttpNotifier<const Name extends string, Schema extends z.ZodObject>(
  parts: HttpNotifierParts<Name, Schema>,
): HttpNotifier<Name, Schema> {
  const { probe, hints, ...declaration } = parts;
  type Settings = z.output<Schema>;
  const judgement = ({ judge }: Pick<Judgement, "judge">): Judgement => ({
    ...(judge && { judge }),
    ...(hints && { hints }),
  });
  return {
    ...declaration,
    reach: "network",
    platforms: "any",
    async send({ settings, message, plain, ports, signal }: NotifierCall<Settings>) {
      const request = parts.request({ settings, message, plain, nowMs: ports.clock.now() });
      await ports.http.post({ ...request, ...judgement(parts), signal });
    },
    ...(probe?.addressOnly && { probesAddressOnly: true }),
    ...(probe && {
      async probe({ settings, ports, signal }: CheckCall<Settings>) {
        await ports.http.post({ ...probe.request(settings), ...judgement(probe), signal });
      },
    }),
  };
}
