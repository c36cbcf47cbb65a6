import { join } from "node:path";
import type { Paths } from "../files/paths.ts";

/** Files of the relay on this machine. */
export function relayFiles({ relay }: Pick<Paths, "relay">) {
  return {
    secret: join(relay, "secret"),
    outbox: join(relay, "outbox"),
    received: join(relay, "received"),
    status: join(relay, "status.json"),
    lock: join(relay, "run.lock"),
    identity: join(relay, "age.key"),
    /**
     * File with the time when the machine that fetches the outbox was last connected, and with that machine's version
     * of beckon.
     */
    fetched: join(relay, "fetched.json"),
  };
}
