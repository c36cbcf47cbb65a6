import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { DeliveryError, readErrno } from "../core/errors.ts";
import type { RelayPort, RelayTransport } from "../core/ports.ts";
import { crashPoint } from "../files/crash-point.ts";
import type { Paths } from "../files/paths.ts";
import { type Envelope, eventEnvelope, stateEnvelope, wireIds } from "./envelope.ts";
import type { createPublisher } from "./nats/publisher.ts";
import { Outbox } from "./outbox.ts";
import { relayFiles } from "./relay-status.ts";
import { seal } from "./seal.ts";

/** Creates the relay port that sends this machine's events to the user's machine. */
export function createOutgoingRelay(paths: Pick<Paths, "relay">): RelayPort {
  const files = relayFiles(paths);
  const outbox = new Outbox(files.outbox);
  let wireId: ((id: string) => string) | undefined;
  let publish: ReturnType<typeof createPublisher> | undefined;

  const toWireId = (id: string): string => {
    try {
      wireId ??= wireIds(files.secret);
    } catch (error) {
      throw new DeliveryError("unavailable", `${files.secret} cannot be used (${readErrno(error) ?? "it is empty"})`, {
        hint: "To check the permissions of its files: beckon doctor",
        cause: error,
      });
    }
    return wireId(id);
  };
  const dispatch = async (transport: RelayTransport, envelope: Envelope): Promise<void> => {
    const sealed = await seal(envelope, transport.seal);
    if (transport.via === "stdio") return outbox.store(sealed);
    publish ??= (await import("./nats/publisher.ts")).createPublisher();
    await publish(transport, sealed);
  };
  return {
    async send(transport, view) {
      const id = toWireId(view.event.id);
      await dispatch(transport, eventEnvelope(id, hostname(), view));
      crashPoint("relay:stored");
      return id;
    },
    async sendStates(transport, states) {
      const named = states.map((state) => ({ ...state, id: toWireId(state.id) }));
      const id = toWireId(createHash("sha256").update(JSON.stringify(named)).digest("hex"));
      await dispatch(transport, stateEnvelope(id, hostname(), named));
    },
  };
}
