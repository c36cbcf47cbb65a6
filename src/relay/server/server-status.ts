import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { buildDurableName, streamName } from "../nats/names.ts";
import { asAdmin } from "./reach-server.ts";
import type { OwnServer } from "./server-settings.ts";
import { readUsers } from "./users.ts";

/** Status of the server that this machine manages. */
export interface ServerStatus {
  /** nats-server version, such as `2.15.1`. */
  readonly version: string;
  /** Number of waiting events for each user. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** Reads the server's status. @throws {DeliveryError} if the server is unreachable */
export async function readServerStatus(server: OwnServer): Promise<ServerStatus> {
  const { team, person } = server.settings;
  const users = readUsers(server.files.users);
  const people = new Set([person, ...users.flatMap((user) => (user.role === "machine" ? user.people : [user.person]))]);
  return asAdmin(server, async (connection) => {
    const manager = await jetstreamManager(connection);
    const counts = [...people].map(async (name) => {
      try {
        const { num_pending, num_ack_pending } = await manager.consumers.info(
          streamName,
          buildDurableName({ team, person: name }),
        );
        return [name, num_pending + num_ack_pending] as const;
      } catch (error) {
        if (error instanceof JetStreamApiError) return [name, 0] as const; // no invitation yet
        throw error;
      }
    });
    return { version: connection.info?.version ?? "", waiting: Object.fromEntries(await Promise.all(counts)) };
  });
}
