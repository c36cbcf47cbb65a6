import { mkdir } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { CommandError, UsageError } from "../../../core/errors.ts";
import type { Paths } from "../../../files/paths.ts";
import { nameToken } from "../../../relay/nats/names.ts";
import { type ServerSettings, serverName } from "../../../relay/server/server-settings.ts";
import { computeStreamBytes } from "../../../relay/server/set-up.ts";

export interface UpOptions {
  readonly listen?: string;
  readonly name?: readonly string[];
  readonly cluster?: string;
  readonly team?: string;
  readonly person?: string;
  readonly json?: boolean;
}

const help = "See `beckon relay up --help`.";
const defaultListen = { host: "0.0.0.0", port: 4222 };

/**
 * Combines the options with the server's current settings and the defaults.
 * @throws {UsageError} for invalid options
 * @throws {CommandError} for a setting that can no longer be changed
 */
export async function settingsFrom(
  { listen, name, cluster, team, person }: UpOptions,
  known: ServerSettings | undefined,
  { relay }: Pick<Paths, "relay">,
): Promise<ServerSettings> {
  if (cluster !== undefined && name !== undefined)
    throw new UsageError("--name cannot be combined with --cluster, which already names the servers", help);
  const members = cluster === undefined ? undefined : readMembers(cluster);
  const names = (members ?? name)?.map((member) => readName(member));
  const wanted: ServerSettings = {
    beckon: 1,
    team: readToken(team, "--team") ?? known?.team ?? "team",
    person: readToken(person, "--person") ?? known?.person ?? ownName(),
    names: names ?? known?.names ?? [ownHost()],
    listen: listen === undefined ? (known?.listen ?? defaultListen) : readListen(listen),
    isCluster: members ? true : (known?.isCluster ?? false),
    maxBytes: known?.maxBytes ?? (await room(relay)),
  };
  if (known) refuseChanges(known, wanted);
  return wanted;
}

/** Refuses changes of settings that existing credentials and NATS subjects contain. */
function refuseChanges(known: ServerSettings, wanted: ServerSettings): void {
  for (const key of ["team", "person"] as const) {
    if (known[key] === wanted[key]) continue;
    throw new CommandError(
      `the ${key} of this server is ${known[key]} and cannot be changed`,
      key === "person" ? `To add ${wanted.person}: beckon relay invite --person ${wanted.person}` : otherServerHint,
    );
  }
  if (known.isCluster !== wanted.isCluster)
    throw new CommandError(
      known.isCluster ? "a cluster cannot become a single server" : "a single server cannot become a cluster",
      otherServerHint,
    );
}

const otherServerHint = "To start over, move ~/.beckon/relay/server away, then send new invitations to everyone.";

function readMembers(text: string): string[] {
  const members = text.split(",");
  if ([3, 5].includes(members.length) && new Set(members).size === members.length) return members;
  throw new UsageError("--cluster takes the names of three or five servers, separated by commas", help);
}

function readName(name: string): string {
  if (serverName.test(name)) return name;
  throw new UsageError(`${JSON.stringify(name)} is not a server name such as relay.example.org`, help);
}

function readToken(value: string | undefined, option: string): string | undefined {
  if (value === undefined || nameToken.test(value)) return value;
  throw new UsageError(
    `${option}: ${JSON.stringify(value)} is not a valid name (letters, digits and -, at most 31)`,
    help,
  );
}

function readListen(text: string): ServerSettings["listen"] {
  const [, host = "", digits] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (serverName.test(host) && port > 0 && port < 65_536) return { host, port };
  throw new UsageError(`--listen must be HOST:PORT such as 0.0.0.0:4222, not ${JSON.stringify(text)}`, help);
}

/**
 * Returns the user name, with `-` for all characters except letters and digits; "me" if there is no usable name, as in
 * a container.
 */
function ownName(): string {
  try {
    const name = userInfo()
      .username.replace(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    return nameToken.test(name) ? name : "me";
  } catch {
    return "me";
  }
}

function ownHost(): string {
  const name = hostname();
  return serverName.test(name) ? name : "localhost";
}

async function room(relay: string): Promise<number> {
  await mkdir(relay, { recursive: true, mode: 0o700 });
  return computeStreamBytes(relay);
}
