import { join } from "node:path";
import * as z from "zod";
import { InputError } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import { readQuietly } from "../../files/read-file.ts";
import { nameToken } from "../nats/names.ts";

/** Files of the server that this machine looks after. */
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

/** A name of the server's in its certificate: a DNS name, or an address of IPv4. */
export const serverName = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

const settingsSchema = z.object({
  beckon: z.literal(1),
  team: z.string().regex(nameToken),
  /** Whom machines call that are invited for nobody else: whoever has set the server up. */
  person: z.string().regex(nameToken),
  /** How other machines reach it; of a cluster, one for each of its servers. */
  names: z.array(z.string().regex(serverName)).min(1),
  listen: z.object({ host: z.string(), port: z.int().min(1).max(65_535) }),
  isCluster: z.boolean(),
  /** What the stream may take of the disk, bytes. */
  maxBytes: z.int().positive(),
});
/** What `relay up` was told of a server. */
export type ServerSettings = Readonly<z.output<typeof settingsSchema>>;

const seed = z.string().regex(/^SU[A-Z2-7]{56}$/);
const keysSchema = z.object({
  /** Of the user that makes streams and consumers. */
  admin: seed,
  /** Of the user that has the server read its users anew. */
  system: seed,
  /** The team's key of age, which all its people have. */
  identity: z.string(),
});
export type ServerKeys = Readonly<z.output<typeof keysSchema>>;

/** A server as its folder describes it. */
export interface OwnServer {
  readonly files: ReturnType<typeof serverFiles>;
  readonly settings: ServerSettings;
  readonly keys: ServerKeys;
  /** The authority's certificate, PEM. */
  readonly ca: string;
}

/**
 * The server that this machine looks after; undefined where there is none. @throws {InputError} where its files are not
 * whole
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

/** One process of nats-server: the folder with its files, and what its certificate says. */
export interface Node {
  readonly name: string;
  readonly folder: string;
  readonly certificateNames: readonly string[];
}

/** The servers: one, or those of the cluster. */
export function nodesOf(settings: ServerSettings, folder: string): Node[] {
  const { names, listen, isCluster } = settings;
  const local = ["localhost", "127.0.0.1"];
  const unique = (all: readonly string[]): string[] => [...new Set(all)];
  if (isCluster) {
    return names.map((name) => ({ name, folder: join(folder, name), certificateNames: unique([name, ...local]) }));
  }
  const own = isWildcard(listen.host) ? [] : [listen.host];
  return [{ name: names[0] ?? "beckon", folder, certificateNames: unique([...names, ...own, ...local]) }];
}

/** Where other machines reach the servers. */
export function addressesOf({ names, listen: { port } }: ServerSettings): string[] {
  return names.map((name) => `tls://${name}:${port}`);
}

/** Where this machine reaches them, each. */
export function ownAddressesOf(settings: ServerSettings): string[] {
  const { isCluster, listen } = settings;
  if (isCluster) return addressesOf(settings);
  return [`tls://${isWildcard(listen.host) ? "127.0.0.1" : listen.host}:${listen.port}`];
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0";
}
