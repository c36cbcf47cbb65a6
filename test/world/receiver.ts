import { onTestFinished } from "vitest";
import { answer, type Captured, inTurn, startHostileServer } from "./hostile-server.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a real HTTP server that gives the answers of `script` in turn, and then repeats the last; default: 200. */
export async function startReceiver(script: readonly Answer[] = [{ status: 200 }], port = 0) {
  const behave = inTurn(...script.map(({ status, headers, body }) => answer(status, headers, body)));
  const { origin, requests, close } = await startHostileServer({ "*": behave }, port);
  const isAccepted = (_: Captured, at: number) => Number(script[Math.min(at, script.length - 1)]?.status) < 300;
  return {
    url: `${origin}/in`,
    /** Every received request, including refused ones. */
    received: requests,
    /** Requests that were answered with 2xx. */
    get accepted() {
      return requests.filter(isAccepted);
    },
    /** Sessions of the accepted events, in order. */
    sessions: (): string[] => requests.filter(isAccepted).map(({ body }) => JSON.parse(body).data.sessionId),
    close,
  };
}

/**
 * Starts such a server until the requesting test, or the test of its `beforeEach`, has ended. A concurrent test gives
 * its own `atEnd`.
 */
export async function openReceiver(script?: readonly Answer[], atEnd = onTestFinished): Promise<Receiver> {
  const receiver = await startReceiver(script);
  atEnd(receiver.close);
  return receiver;
}
