import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { resolveReferences } from "../../config/references.ts";
import { BeckonError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";

/** Status of this machine's server. */
export interface ServerView {
  readonly addresses: readonly string[];
  /** NATS version; absent if the server cannot be reached. */
  readonly version?: string;
  /** Reason why the server cannot be reached. */
  readonly problem?: string;
  /** Number of waiting events by person. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly users: readonly { readonly name: string; readonly expiresAt?: string }[];
}

/** Queries this machine's NATS server. Without a server, returns undefined and loads no server code. */
export async function viewServer(paths: Pick<Paths, "relay">): Promise<ServerView | undefined> {
  if (!existsSync(join(paths.relay, "server", "server.json"))) return undefined;
  const [{ listOwnAddresses, readServer }, { describeUser, readUsers }, { readServerStatus }] = await Promise.all([
    import("../../relay/server/server-settings.ts"),
    import("../../relay/server/users.ts"),
    import("../../relay/server/server-status.ts"),
  ]);
  const server = readServer(paths);
  if (!server) return undefined;
  const users = readUsers(server.files.users).map((user) => ({
    name: describeUser(user),
    ...omitUndefined({ expiresAt: user.expiresAt }),
  }));
  const view = { addresses: listOwnAddresses(server.settings), users };
  return readServerStatus(server).then(
    (status) => ({ ...view, ...status }),
    (error: unknown) => ({ ...view, problem: describeProblem(error) }),
  );
}

/** Formats a server's status as `NATS 2.15.1 at tls://127.0.0.1:4222, 3 waiting for alice`. */
export function serverText({ addresses, version, problem, waiting = {} }: ServerView): string {
  const where = addresses.join(", ");
  if (version === undefined) return `no answer at ${where}: ${problem}`;
  const counts = Object.entries(waiting).filter(([, count]) => count > 0);
  const waits = counts.map(([person, count]) => `${count} waiting for ${person}`);
  return [`NATS ${version} at ${where}`, ...(waits.length > 0 ? waits : ["none waiting"])].join(", ");
}

/** Result of connecting to the server for this machine's events. */
export interface Reached {
  readonly version?: string;
  readonly problem?: string;
}

/** Formats a connection test as `connected to the server (NATS 2.15.1)`. */
export function reachedText({ version, problem }: Reached): string {
  return problem === undefined
    ? `connected to the server (NATS ${version})`
    : `cannot connect to the server: ${problem}`;
}

/** Connects to the servers for this machine's events; undefined if there are none. */
export async function tryServers(config: Config, ports: { readonly exec: ExecPort }): Promise<Reached | undefined> {
  const relaying = [...config.notifiers.values()].find(({ notifier }) => notifier.relays);
  const { servers } = (relaying?.settings ?? {}) as { readonly servers?: readonly string[] };
  if (!relaying || !servers) return undefined;
  try {
    const { value } = await resolveReferences(relaying.settings, `notifiers.${relaying.name}`, ports.exec);
    const { tryConnect } = await import("../../relay/nats/connect.ts");
    return { version: await tryConnect(servers, (value as { readonly creds: string }).creds) };
  } catch (error) {
    return { problem: describeProblem(error) };
  }
}

function describeProblem(error: unknown): string {
  if (error instanceof BeckonError) return error.message;
  throw error;
}
