import { type Behaviour, type Captured, type HostileServer, startHostileServer } from "../../world/hostile-server.ts";
import type { ChangeWorld } from "./notifier-case.ts";

/** The rules of a service, as far as its stand-in has them. */
export interface ServerRules {
  /** Handles a request and returns the answer. */
  reply(request: Captured): Behaviour;
  /** The answer to the next request after `refuseNext`. */
  readonly refusal: Behaviour;
  /** Removes all messages. */
  clear(): void;
}

/** A stand-in for a service: the shared parts of a `ChangeWorld`. */
export interface RuledServer
  extends Pick<HostileServer, "origin" | "requests" | "close">,
    Pick<ChangeWorld, "removeAll" | "beginAnew"> {
  refuseNext(): void;
}

/** Starts a server that follows a service's rules. */
export async function startRuledServer({ reply, refusal, clear }: ServerRules): Promise<RuledServer> {
  let isRefusing = false;
  const server = await startHostileServer({
    "*": (request, response) => {
      const asked = server.requests.at(-1) as Captured;
      const behave = isRefusing ? refusal : reply(asked);
      isRefusing = false;
      behave(request, response);
    },
  });
  return {
    origin: server.origin,
    requests: server.requests,
    removeAll: async () => clear(),
    beginAnew: async () => clear(),
    refuseNext() {
      isRefusing = true;
    },
    close: () => server.close(),
  };
}
