import { answer, type Captured, inTurn, startHostileServer } from "./hostile-server.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver {
  readonly url: string;
  /** Every received request, including refused ones. */
  readonly received: Captured[];
  /** Requests that were answered with 2xx. */
  readonly accepted: Captured[];
  /** Sessions of the accepted events, in order. */
  sessions(): string[];
  close(): Promise<void>;
}

/** Starts a real HTTP server that gives the answers of `script` in turn, and then repeats the last; default: 200. */
export async function startReceiver(script: readonly Answer[] = [{ status: 200 }], port = 0): Promise<Receiver> {
  const behave = inTurn(...script.map(({ status, headers, body }) => answer(status, headers, body)));
  const { origin, requests, close } = await startHostileServer({ "*": behave }, port);
  const isAccepted = (_: Captured, at: number) => Number(script[Math.min(at, script.length - 1)]?.status) < 300;
  return {
    url: `${origin}/in`,
    received: requests,
    get accepted() {
      return requests.filter(isAccepted);
    },
    sessions: () => requests.filter(isAccepted).map(({ body }) => JSON.parse(body).data.sessionId),
    close,
  };
}
