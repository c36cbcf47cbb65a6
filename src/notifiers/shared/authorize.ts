import type { HttpPort, HttpReply, HttpRequest, ReplyRules } from "../../core/http-port.ts";
import type { CheckCall } from "../../core/notifier-call.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";

/** Rule for exchanging an entry's credentials for a token that expires. */
export interface AuthorizeRule<Settings> extends Pick<ReplyRules, "classifyReply" | "hints"> {
  /** Builds the request for a token; undefined if these settings need no token. */
  request(settings: Settings): Omit<HttpRequest, "signal"> | undefined;
  /** Reads the token and its validity, milliseconds, from a reply that `classifyReply` accepted. */
  readToken(reply: HttpReply): { readonly token: string; readonly validMs: number };
  /** True if the reply to a request shows that the receiver no longer accepts the request's token. */
  isRefused(reply: HttpReply): boolean;
}

/** Time before expiry when a token is renewed, 60 s. A token must not expire while a request is in transit. */
const tokenMarginMs = 60_000;

/**
 * Creates a function that wraps a call's `post` and adds a token to each request. Tokens are cached by the request that
 * obtains them. If the receiver refuses a token, the token is renewed and the request is sent once more. A refusal of
 * the new token is an ordinary rejection.
 */
export function authorizer<Settings>(
  rule: AuthorizeRule<Settings>,
): (call: CheckCall<Settings>, ca?: string) => HttpPort["post"] {
  const tokens = new Map<string, { readonly token: string; readonly untilMs: number }>();
  const rules = omitUndefined({ classifyReply: rule.classifyReply, hints: rule.hints });
  return ({ settings, ports: { http, clock }, signal }, ca) => {
    const tokenRequest = rule.request(settings);
    if (!tokenRequest) return http.post;
    const key = JSON.stringify(tokenRequest);

    const takeToken = async (): Promise<string> => {
      const kept = tokens.get(key);
      const nowMs = clock.now();
      if (kept && nowMs < kept.untilMs) return kept.token;
      const reply = await http.post({ ...tokenRequest, ...rules, ca, signal });
      const { token, validMs } = rule.readToken(reply);
      tokens.set(key, { token, untilMs: nowMs + validMs - tokenMarginMs });
      return token;
    };

    return async (request) => {
      const postWith = (token: string, isGone = request.isGone) => {
        const headers = { ...request.headers, authorization: `Bearer ${token}` };
        return http.post({ ...request, headers, ...omitUndefined({ isGone }) });
      };
      const token = await takeToken();
      const reply = await postWith(token, (reply) => rule.isRefused(reply) || request.isGone?.(reply) === true);
      if (!rule.isRefused(reply)) return reply;
      if (tokens.get(key)?.token === token) tokens.delete(key); // another call may have renewed the token
      return postWith(await takeToken());
    };
  };
}
