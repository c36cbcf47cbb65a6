import { DeliveryError, transientReasons } from "../../core/errors.ts";
import type { HttpReply } from "../../core/http-port.ts";

/** Longest wait for one of several servers, so that a hanging server leaves time for the others. */
const oneServerMs = 4_000;

/**
 * Asks several servers at once; one success is enough.
 * @param remark called for servers that failed
 * @returns the first successful reply
 * @throws an error of one server if all failed, preferably a temporary one
 */
export async function oneOf(
  urls: readonly string[],
  ask: (url: string, signal: AbortSignal) => Promise<HttpReply>,
  signal: AbortSignal,
  remark: (text: string) => void = () => {},
): Promise<HttpReply> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(oneServerMs)]);
  const outcomes = await Promise.allSettled(urls.map((url) => ask(url, limited)));
  const errors: unknown[] = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const taken = outcomes.find((one) => one.status === "fulfilled");
  if (!taken) throw errors.find(mayPass) ?? errors[0];
  for (const error of errors) remark(`a server has not taken it: ${textOf(error)}`);
  return taken.value;
}

function mayPass(error: unknown): boolean {
  return error instanceof DeliveryError && transientReasons.includes(error.reason);
}

function textOf(error: unknown): string {
  return error instanceof DeliveryError ? error.message : "a fault in the notifier";
}
