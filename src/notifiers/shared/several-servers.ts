import { DeliveryError, transientReasons } from "../../core/errors.ts";
import type { HttpReply } from "../../core/http-port.ts";

/** Longest that one of several servers is waited for: one that hangs must not take the time of the others. */
const oneServerMs = 4_000;

/**
 * Asks several servers at once, of which one is enough.
 * @param remark is told of those that have not taken it
 * @returns the reply of the first that has
 * @throws the error of one of them, where none has: one that may pass, if any may
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
