import { type HttpReply, isSuccess, parseReply, type Rejection } from "../../core/http-port.ts";

/** Makes the rejection for a 2xx reply that came from a captive portal, a proxy or another server than the service. */
export function notFrom(service: string): Rejection {
  return {
    reason: "unavailable",
    message: `gave a reply that is not from ${service}`,
    hint: "Is there a captive portal or a proxy in between? Check the address.",
  };
}

/** Makes a reply rule that accepts a 2xx reply only if its JSON has this field with this type. */
export function requireField(service: string, field: string, type: "string" | "number" | "boolean" = "string") {
  return (reply: HttpReply): Rejection | undefined =>
    isSuccess(reply) && typeof parseReply(reply)?.[field] !== type ? notFrom(service) : undefined;
}

/** Formats a reply's error code for display: a number or a single word, otherwise `none`, never a sentence. */
export function formatCode(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "none";
}

/** Place and meanings of a service's own result codes in the body of a reply. */
export interface CodeRules {
  /** Name of the service, for people. */
  readonly service: string;
  /** Field of the body with the numeric code; 0 is success. */
  readonly field: string;
  /** Documented codes, each list with its rejection. The rejection's `message` has only a few words. */
  readonly meanings: readonly (readonly [codes: readonly number[], Rejection])[];
  /** Advice for any other code. */
  readonly hint: string;
}

/**
 * Makes a reply rule that reads the result code in the body, because several services answer every request with 200. A
 * 2xx reply without a code did not come from the service. An unknown code means `rejected` in a 2xx reply. For any
 * other status, an unknown code is ignored and the status decides.
 */
export function classifyByCode({ service, field, meanings, hint }: CodeRules) {
  return (reply: HttpReply): Rejection | undefined => {
    const code = parseReply(reply)?.[field];
    if (typeof code !== "number") return isSuccess(reply) ? notFrom(service) : undefined;
    if (code === 0) return undefined;
    const known = meanings.find(([codes]) => codes.includes(code))?.[1];
    const message = `answered with code ${code}`;
    if (known) return { ...known, message: `${message} (${known.message})` };
    return isSuccess(reply) ? { reason: "rejected", message, hint } : undefined;
  };
}
