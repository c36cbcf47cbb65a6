import { DeliveryError, transientReasons } from "../../core/errors.ts";
import type { HttpReply } from "../../core/http-port.ts";

/** Longest wait for the replies of several servers. One hanging server must not use up the whole attempt's time. */
const serverTimeoutMs = 4_000;

/**
 * Asks several servers at once; one success is enough.
 * @param remark called for each failed server if another server succeeded
 * @returns the first successful reply
 * @throws the error of one server if all servers failed, preferably a temporary error
 */
export async function askAny(
  urls: readonly string[],
  ask: (url: string, signal: AbortSignal) => Promise<HttpReply>,
  signal: AbortSignal,
  remark: (text: string) => void = () => {},
): Promise<HttpReply> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(serverTimeoutMs)]);
  const outcomes = await Promise.allSettled(urls.map((url) => ask(url, limited)));
  const errors: unknown[] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  const accepted = outcomes.find((outcome) => outcome.status === "fulfilled");
  if (!accepted) throw errors.find(isTransient) ?? errors[0];
  for (const error of errors) {
    const text = error instanceof DeliveryError ? error.message : "a fault in the notifier";
    remark(`a server has not taken it: ${text}`);
  }
  return accepted.value;
}

function isTransient(error: unknown): boolean {
  return error instanceof DeliveryError && transientReasons.includes(error.reason);
}
