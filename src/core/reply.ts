import type { HttpReply, Refusal } from "./http-port.ts";

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

/** An error code of a reply in words that may be shown: a number or a single word, never a sentence of the service's. */
export function codeOf(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "none";
}
