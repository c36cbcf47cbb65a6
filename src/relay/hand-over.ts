import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { DeliveryError, errnoOf } from "../core/errors.ts";
import type { RelayPort, RelayWay } from "../core/relay-port.ts";
import { crashPoint } from "../files/crash-point.ts";
import type { Paths } from "../files/paths.ts";
import { type Envelope, eventEnvelope, stateEnvelope } from "./envelope.ts";
import type { Publisher } from "./nats/publisher.ts";
import { Outbox } from "./outbox.ts";
import { relayFiles } from "./relay-files.ts";
import { seal } from "./seal.ts";
import { wireIds } from "./wire-id.ts";

/** Hands this machine's events to the relay. */
export function handOver(paths: Pick<Paths, "relay">): RelayPort {
  const files = relayFiles(paths);
  const outbox = new Outbox(files.outbox);
  let wireId: ((id: string) => string) | undefined;
  let publisher: Publisher | undefined;

  const idOf = (id: string): string => {
    try {
      wireId ??= wireIds(files.secret);
    } catch (error) {
      throw new DeliveryError("unavailable", `${files.secret} cannot be used (${errnoOf(error) ?? "it is empty"})`, {
        hint: "`beckon doctor` looks after the rights of beckon's files.",
        cause: error,
      });
    }
    return wireId(id);
  };
  const dispatch = async (way: RelayWay, envelope: Envelope): Promise<void> => {
    const sealed = await seal(envelope, way.seal);
    if (way.via === "stdio") return outbox.put(sealed);
    publisher ??= new (await import("./nats/publisher.ts")).Publisher();
    await publisher.publish(way, sealed);
  };
  return {
    async send(way, view) {
      const id = idOf(view.event.id);
      await dispatch(way, eventEnvelope(id, hostname(), view));
      crashPoint("relay:stored");
      return id;
    },
    async tell(way, states) {
      const named = states.map((one) => ({ ...one, id: idOf(one.id) }));
      const id = idOf(createHash("sha256").update(JSON.stringify(named)).digest("hex"));
      await dispatch(way, stateEnvelope(id, hostname(), named));
    },
  };
}
