import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { resolveReferences } from "../../config/references.ts";
import { BeckonError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";

/** The server that this machine looks after. */
export interface ServerView {
  readonly addresses: readonly string[];
  /** Of NATS; undefined where it is not reached. */
  readonly version?: string;
  /** Why it is not reached. */
  readonly problem?: string;
  /** How many events wait for each person. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly users: readonly { readonly name: string; readonly expiresAt?: string }[];
}

/**
 * Asks the server that this machine looks after; undefined where it looks after none, and none of its code is loaded
 * then.
 */
export async function viewServer(paths: Pick<Paths, "relay">): Promise<ServerView | undefined> {
  if (!existsSync(join(paths.relay, "server", "server.json"))) return undefined;
  const [{ ownAddressesOf, readServer }, { describeUser, readUsers }, { serverStatus }] = await Promise.all([
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
  const view = { addresses: ownAddressesOf(server.settings), users };
  return serverStatus(server).then(
    (status) => ({ ...view, ...status }),
    (error: unknown) => ({ ...view, problem: problemOf(error) }),
  );
}

/** `NATS 2.15.1 at tls://127.0.0.1:4222, 3 wait for alice` */
export function serverText({ addresses, version, problem, waiting = {} }: ServerView): string {
  const where = addresses.join(", ");
  if (version === undefined) return `does not answer at ${where}: ${problem}`;
  const counts = Object.entries(waiting).filter(([, count]) => count > 0);
  const waits = counts.map(([person, count]) => `${count} wait${count === 1 ? "s" : ""} for ${person}`);
  return [`NATS ${version} at ${where}`, ...(waits.length > 0 ? waits : ["nothing waits"])].join(", ");
}

/** Whether this machine's events get through to a server. */
export interface Reached {
  readonly version?: string;
  readonly problem?: string;
}

/** `their server is reached: NATS 2.15.1` */
export function reachedText({ version, problem }: Reached): string {
  return problem === undefined ? `their server is reached: NATS ${version}` : `their server is not reached: ${problem}`;
}

/** Tries the servers to which this machine hands its events; undefined where it hands none to a server. */
export async function tryServers(config: Config, ports: { readonly exec: ExecPort }): Promise<Reached | undefined> {
  const relaying = [...config.notifiers.values()].find((one) => one.notifier.relays);
  const { servers } = (relaying?.settings ?? {}) as { readonly servers?: readonly string[] };
  if (!relaying || !servers) return undefined;
  try {
    const { value } = await resolveReferences(relaying.settings, `notifiers.${relaying.name}`, ports.exec);
    const { tryConnect } = await import("../../relay/nats/try-connect.ts");
    return { version: await tryConnect(servers, (value as { readonly creds: string }).creds) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  if (error instanceof BeckonError) return error.message;
  throw error;
}
