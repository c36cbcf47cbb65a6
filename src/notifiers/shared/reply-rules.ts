import { type HttpReply, isSuccess, jsonOf, type Rejection } from "../../core/http-port.ts";

/** The rejection for a 2xx that is not the service's own: a captive portal, a proxy or a wrong address gave it. */
export function notFrom(service: string): Rejection {
  return {
    reason: "unavailable",
    message: `gave a reply that is not from ${service}`,
    hint: "Is there a captive portal or a proxy in between? Check the address.",
  };
}

/** Reply rule: a 2xx counts only if its JSON has this field, of this type, as the service's own answers do. */
export function requireField(service: string, field: string, type: "string" | "number" | "boolean" = "string") {
  return (reply: HttpReply): Rejection | undefined =>
    isSuccess(reply) && typeof jsonOf(reply)?.[field] !== type ? notFrom(service) : undefined;
}

/** A reply's error code as it may be shown: a number or a single word, else `none`; never the service's sentences. */
export function codeOf(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "none";
}

/** Where a service puts its own result code in the body of a reply, and what the codes mean. */
export interface CodeRules {
  /** The service's name, for people. */
  readonly service: string;
  /** The field of the body that holds the code, a number; 0 is success. */
  readonly field: string;
  /** The documented codes and the rejection that they mean; its `message` in a few words. */
  readonly meanings: readonly (readonly [codes: readonly number[], Rejection])[];
  /** What to do about any other code. */
  readonly hint: string;
}

/**
 * Reply rule: the code in the body decides whatever the status, since several services answer 200 to everything. A 2xx
 * without a code is not the service's. An unknown code is `rejected`, unless the status is an error and decides itself.
 */
export function classifyByCode({ service, field, meanings, hint }: CodeRules) {
  return (reply: HttpReply): Rejection | undefined => {
    const code = jsonOf(reply)?.[field];
    if (typeof code !== "number") return isSuccess(reply) ? notFrom(service) : undefined;
    if (code === 0) return undefined;
    const known = meanings.find(([codes]) => codes.includes(code))?.[1];
    const message = `answered with code ${code}`;
    if (known) return { ...known, message: `${message} (${known.message})` };
    return isSuccess(reply) ? { reason: "rejected", message, hint } : undefined;
  };
}
