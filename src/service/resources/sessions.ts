import type { BodyOf, ListOf, QueryOf } from "../endpoint.ts";
import type { Message } from "../schemas/sessions.ts";
import type { Session } from "../schemas/session.ts";
import type { CallOptions, Transport } from "../transport.ts";
import { createSession, getMessage, listMessages, listSessions } from "./session-endpoints.ts";

/** Agent sessions and their messages. The roles they take, and the order of the lists, are not shown. */
export class Sessions {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All sessions, or those on one computer, `limit` a page. */
  list(query: QueryOf<typeof listSessions> = {}, options?: CallOptions): ListOf<typeof listSessions> {
    return this.#transport.list(listSessions, query, options);
  }

  /** The new session. Never sent twice. */
  create(body: BodyOf<typeof createSession>, options?: CallOptions): Promise<Session> {
    return this.#transport.call(createSession, { body }, options);
  }

  /** A session's messages, all or those of one role (`system` is none to filter by), `limit` a page. */
  messages(
    sessionId: string,
    query: QueryOf<typeof listMessages> = {},
    options?: CallOptions,
  ): ListOf<typeof listMessages> {
    return this.#transport.list(listMessages, query, options, { sessionId });
  }

  /** One message. */
  message(
    sessionId: string,
    messageId: string,
    query: QueryOf<typeof getMessage> = {},
    options?: CallOptions,
  ): Promise<Message> {
    return this.#transport.call(getMessage, { parts: { sessionId, messageId }, query }, options);
  }
}
