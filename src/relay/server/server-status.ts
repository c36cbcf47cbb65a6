import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { durableOf, streamName } from "../nats/names.ts";
import { asAdmin } from "./reach-server.ts";
import type { OwnServer } from "./server-settings.ts";
import { readUsers } from "./users.ts";

/** What a server says of itself that this machine looks after. */
export interface ServerStatus {
  /** Of NATS, such as `2.15.1`. */
  readonly version: string;
  /** How many events wait for each person. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** How it goes. @throws {DeliveryError} where it cannot be reached */
export async function serverStatus(server: OwnServer): Promise<ServerStatus> {
  const { team, person } = server.settings;
  const users = readUsers(server.files.users);
  const people = new Set([person, ...users.flatMap((user) => (user.role === "machine" ? user.people : [user.person]))]);
  return asAdmin(server, async (connection) => {
    const manager = await jetstreamManager(connection);
    const counts = [...people].map(async (name) => {
      try {
        const { num_pending, num_ack_pending } = await manager.consumers.info(
          streamName,
          durableOf({ team, person: name }),
        );
        return [name, num_pending + num_ack_pending] as const;
      } catch (error) {
        if (error instanceof JetStreamApiError) return [name, 0] as const; // nobody was invited yet: there is no stream
        throw error;
      }
    });
    return { version: connection.info?.version ?? "", waiting: Object.fromEntries(await Promise.all(counts)) };
  });
}
