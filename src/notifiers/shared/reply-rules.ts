import type { HttpReply, Refusal } from "../../core/http-port.ts";

/** A reply's body as a JSON object; undefined if it is anything else. */
export function jsonOf({ body }: Pick<HttpReply, "body">): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // a page, or plain text
  }
}

/** Whether the status says that the request was taken. */
export function isSuccess({ status }: Pick<HttpReply, "status">): boolean {
  return status >= 200 && status < 300;
}

/** A success that is not the service's own: a captive portal, a proxy, a wrong address. It may pass. */
export function notFrom(service: string): Refusal {
  return {
    reason: "unavailable",
    message: `gave an answer that is not ${service}'s: something in between answered`,
    hint: "A captive portal or a proxy? Check the address.",
  };
}

/** Judges a success by a field that the service's own answer has and no other program's: its JSON type is `type`. */
export function provenBy(service: string, field: string, type: "string" | "number" | "boolean" = "string") {
  return (reply: HttpReply): Refusal | undefined =>
    isSuccess(reply) && typeof jsonOf(reply)?.[field] !== type ? notFrom(service) : undefined;
}

/** An error code of a reply in words that may be shown: a number or a single word, never a sentence of the service's. */
export function codeOf(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "none";
}

/** How a service tells in a reply's body what became of a message. */
export interface CodeRules {
  /** The service's name, for people. */
  readonly service: string;
  /** The body's field that holds the code, a number; 0 is success. */
  readonly field: string;
  /** What the codes mean that are known to mean something; `message` in a few words. */
  readonly meanings: Readonly<Record<number, Refusal>>;
  /** What to do about any other. */
  readonly hint: string;
}

/**
 * Judges replies by a code in their body, whatever the status: several services answer 200 to everything. A success
 * without a code is not the service's; an unknown code is a rejection, unless the status says something else.
 */
export function judgeByCode({ service, field, meanings, hint }: CodeRules) {
  return (reply: HttpReply): Refusal | undefined => {
    const code = jsonOf(reply)?.[field];
    if (typeof code !== "number") return isSuccess(reply) ? notFrom(service) : undefined;
    if (code === 0) return undefined;
    const known = meanings[code];
    const message = `answered with code ${code}`;
    if (known) return { ...known, message: `${message} (${known.message})` };
    return isSuccess(reply) ? { reason: "rejected", message, hint } : undefined;
  };
}
