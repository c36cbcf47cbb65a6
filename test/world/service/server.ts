import { answer, listen, type Received } from "../../../src/fake-service/fake-service.ts";
import { defaultSizes, makeState, type Sizes } from "../../../src/fake-service/state.ts";
import type { Endpoint } from "../../../src/service/endpoint.ts";

/** A received request. */
export interface Seen {
  readonly base: Endpoint["base"];
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly body: string;
  /** Status of the reply. */
  readonly status: number;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

export interface SandboxOptions {
  readonly sizes?: Partial<Sizes>;
  /** Clock in Unix milliseconds, which determines today's date. */
  readonly now?: () => number;
  /** Ports of the two servers; default: any free ports. */
  readonly ports?: readonly [base: number, app: number];
}

/** Starts the documented service on this machine, always with the same data. */
export async function startSandbox({ sizes, now = Date.now, ports = [0, 0] }: SandboxOptions = {}) {
  const state = makeState({ ...defaultSizes, ...sizes });
  const seen: Seen[] = [];
  let requests = 0;
  const respondAs = (base: Endpoint["base"]) => (request: Received) => {
    const { method, url, headers, body } = request;
    requests += 1;
    const reply = answer({ ...request, base }, state, now(), `req_${requests}`);
    seen.push({ base, method, url, authorization: headers["authorization"], body, status: reply.status });
    return reply;
  };
  const api = await listen(respondAs("baseUrl"), { port: ports[0] });
  const app = await listen(respondAs("appUrl"), { port: ports[1] });
  const close = async (): Promise<void> => {
    await Promise.all([api.close(), app.close()]);
  };
  return {
    /** Address that the document calls `{base_url}`. `{app_url}` is another server, so that a mix-up is a 404. */
    baseUrl: api.url,
    appUrl: app.url,
    /** Requests, oldest first. */
    seen,
    ...{ state, close },
  };
}
