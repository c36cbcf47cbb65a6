import { join } from "node:path";
import * as z from "zod";
import { InputError } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import { readQuietly } from "../../files/read-file.ts";
import { nameToken } from "../nats/names.ts";

/** Lists the files of the server that this machine manages. */
export function serverFiles({ relay }: Pick<Paths, "relay">) {
  const folder = join(relay, "server");
  return {
    folder,
    settings: join(folder, "server.json"),
    keys: join(folder, "keys.json"),
    users: join(folder, "users.json"),
    lock: join(folder, "users.lock"),
    authority: join(folder, "ca.pem"),
    authorityKey: join(folder, "ca.key"),
  };
}

/** Name allowed in a server certificate: a DNS name or an IPv4 address. */
export const serverName = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

const settingsSchema = z.object({
  beckon: z.literal(1),
  team: z.string().regex(nameToken),
  /** User who set up the server. Invited machines send their events to this user by default. */
  person: z.string().regex(nameToken),
  /** Host names under which other machines reach the server; one for each server of a cluster. */
  names: z.array(z.string().regex(serverName)).min(1),
  listen: z.object({ host: z.string(), port: z.int().min(1).max(65_535) }),
  isCluster: z.boolean(),
  /** Disk space for the stream, bytes. */
  maxBytes: z.int().positive(),
});
/** Server settings, as given to `relay up`. */
export type ServerSettings = Readonly<z.output<typeof settingsSchema>>;

const seed = z.string().regex(/^SU[A-Z2-7]{56}$/);
const keysSchema = z.object({
  /** Seed of the user that creates streams and consumers. */
  admin: seed,
  /** Seed of the user that reloads the server. */
  system: seed,
  /** The team's secret age key. All users of the team share it. */
  identity: z.string(),
});

/** The server that this machine manages, as read from its folder. */
export interface OwnServer {
  readonly files: ReturnType<typeof serverFiles>;
  readonly settings: ServerSettings;
  readonly keys: Readonly<z.output<typeof keysSchema>>;
  /** Certificate of the server's authority, PEM. */
  readonly ca: string;
}

/**
 * Reads the server that this machine manages; undefined if one of its files is missing.
 * @throws {InputError} if a file of the server is malformed
 */
export function readServer(paths: Pick<Paths, "relay">): OwnServer | undefined {
  const files = serverFiles(paths);
  const [settings, keys, ca] = [files.settings, files.keys, files.authority].map((file) => readQuietly(file));
  if (settings === undefined || keys === undefined || ca === undefined) return undefined;
  try {
    return {
      files,
      settings: settingsSchema.parse(JSON.parse(settings)),
      keys: keysSchema.parse(JSON.parse(keys)),
      ca,
    };
  } catch {
    throw new InputError("relay.server", `${files.folder} has files that this version of beckon did not write`);
  }
}

/** One nats-server process: its folder and the names in its certificate. */
export interface Node {
  readonly name: string;
  readonly folder: string;
  readonly certificateNames: readonly string[];
}

/** Lists the nats-server processes: one, or each server of a cluster. */
export function listNodes(settings: ServerSettings, folder: string): Node[] {
  const { names, listen, isCluster } = settings;
  const local = ["localhost", "127.0.0.1"];
  const unique = (all: readonly string[]): string[] => [...new Set(all)];
  if (isCluster) {
    return names.map((name) => ({ name, folder: join(folder, name), certificateNames: unique([name, ...local]) }));
  }
  const listenHosts = isWildcard(listen.host) ? [] : [listen.host];
  return [{ name: names[0] ?? "beckon", folder, certificateNames: unique([...names, ...listenHosts, ...local]) }];
}

/** Lists the addresses that other machines connect to. */
export function listAddresses({ names, listen: { port } }: ServerSettings): string[] {
  return names.map((name) => `tls://${name}:${port}`);
}

/** Lists the addresses that this machine connects to. */
export function listOwnAddresses(settings: ServerSettings): string[] {
  const { isCluster, listen } = settings;
  if (isCluster) return listAddresses(settings);
  return [`tls://${isWildcard(listen.host) ? "127.0.0.1" : listen.host}:${listen.port}`];
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0";
}
