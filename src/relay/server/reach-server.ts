import { setTimeout as sleep } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { toDeliveryError, withConnection } from "../nats/connect.ts";
import { ensureObjects, ensureReceiver } from "../nats/ensure-streams.ts";
import { listOwnAddresses, type OwnServer } from "./server-settings.ts";

const reloadTimeoutMs = 5_000;
/** Longest time a cluster may take to elect its leader, milliseconds. */
const leaderTimeoutMs = 30_000;

/**
 * Connects as the admin user, which may create streams and consumers, and runs a function with the connection.
 * @throws {DeliveryError} if the server is unreachable
 */
export async function asAdmin<T>(
  { settings, keys, ca }: OwnServer,
  use: (connection: NatsConnection) => Promise<T>,
): Promise<T> {
  return withConnection(listOwnAddresses(settings), { seed: keys.admin, ca }, use);
}

/**
 * Creates the streams, and a consumer for each user in `people`. A newly started cluster first has to elect its leader,
 * so the failures of a cluster are retried for up to 30 seconds.
 * @throws {DeliveryError}
 */
export async function prepareServer(server: OwnServer, people: readonly string[]): Promise<void> {
  const { team, maxBytes, isCluster } = server.settings;
  const make = () =>
    asAdmin(server, async (connection) => {
      await ensureObjects(connection, { replicas: isCluster ? 3 : 1, maxBytes });
      for (const person of people) await ensureReceiver(connection, { team, person });
    });
  for (const deadlineMs = Date.now() + leaderTimeoutMs; isCluster && Date.now() < deadlineMs; await sleep(1_000)) {
    const isMade = await make().then(
      () => true,
      () => false,
    );
    if (isMade) return;
  }
  await make();
}

/**
 * Makes each server reload its configuration. Sends the request through the system account. Unlike a signal, the
 * request works in containers and on other machines, cannot reach a wrong process, and returns errors.
 * @returns an error message for each server that failed
 */
export function reload(server: OwnServer): Promise<readonly string[]> {
  return tryEach(server, server.keys.system, async (connection) => {
    const subject = `$SYS.REQ.SERVER.${connection.info?.server_id}.RELOAD`;
    const answer = (await connection.request(subject, "", { timeout: reloadTimeoutMs })).json<{
      readonly error?: { readonly description: string };
    }>();
    return answer.error?.description;
  });
}

/** Tests a user's seed on each server. Returns an error message for each server that does not accept the user yet. */
export function findRefusals(server: OwnServer, seed: string): Promise<readonly string[]> {
  return tryEach(server, seed, async () => undefined);
}

/** Connects to each server as one user. Returns an error message for each server that fails, or for which `use` does. */
async function tryEach(
  { settings, ca }: OwnServer,
  seed: string,
  use: (connection: NatsConnection) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const tried = listOwnAddresses(settings).map(async (address) => {
    const fail = (error: unknown): string => toDeliveryError(error).message;
    const problem = await withConnection([address], { seed, ca }, use).catch(fail);
    return problem === undefined ? [] : [`${address}: ${problem}`];
  });
  return (await Promise.all(tried)).flat();
}
