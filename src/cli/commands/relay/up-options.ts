import { mkdir } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { CommandError, UsageError } from "../../../core/errors.ts";
import type { Paths } from "../../../files/paths.ts";
import { nameToken } from "../../../relay/nats/names.ts";
import { type ServerSettings, serverName } from "../../../relay/server/server-settings.ts";
import { roomFor } from "../../../relay/server/set-up.ts";

export interface UpOptions {
  readonly listen?: string;
  readonly name?: readonly string[];
  readonly cluster?: string;
  readonly team?: string;
  readonly person?: string;
}

const help = "See `beckon relay up --help`.";
const defaultListen = { host: "0.0.0.0", port: 4222 };

/**
 * What a server is to be like: what it is already, else what the options say, else the defaults.
 * @throws {UsageError} for options that cannot be
 * @throws {CommandError} for what cannot be changed any more
 */
export async function settingsFrom(
  { listen, name, cluster, team, person }: UpOptions,
  known: ServerSettings | undefined,
  { relay }: Pick<Paths, "relay">,
): Promise<ServerSettings> {
  if (cluster !== undefined && name !== undefined)
    throw new UsageError("--name and --cluster: the servers of a cluster are known by their own names", help);
  const members = cluster === undefined ? undefined : readMembers(cluster);
  const names = (members ?? name)?.map((one) => readName(one));
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

/** Credentials and subjects have these in them. */
function refuseChanges(known: ServerSettings, wanted: ServerSettings): void {
  for (const key of ["team", "person"] as const) {
    if (known[key] === wanted[key]) continue;
    throw new CommandError(
      `the ${key} of this server is ${known[key]}, and stays it`,
      key === "person" ? `Invite ${wanted.person}: \`beckon relay invite --person ${wanted.person}\`.` : startAnew,
    );
  }
  if (known.isCluster !== wanted.isCluster)
    throw new CommandError(
      known.isCluster ? "this is a cluster, and stays one" : "this is a single server, and stays one",
      startAnew,
    );
}

const startAnew =
  "For another one, move ~/.beckon/relay/server away first; whoever was invited has to be invited anew.";

function readMembers(text: string): string[] {
  const members = text.split(",");
  if ([3, 5].includes(members.length) && new Set(members).size === members.length) return members;
  throw new UsageError("--cluster: three or five servers, each by its name, with commas between", help);
}

function readName(name: string): string {
  if (serverName.test(name)) return name;
  throw new UsageError(`${JSON.stringify(name)} is no name of a server such as relay.example.org`, help);
}

function readToken(value: string | undefined, option: string): string | undefined {
  if (value === undefined || nameToken.test(value)) return value;
  throw new UsageError(`${option}: ${JSON.stringify(value)} is no name of letters, digits and -, 31 at most`, help);
}

function readListen(text: string): ServerSettings["listen"] {
  const [, host = "", digits] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (serverName.test(host) && port > 0 && port < 65_536) return { host, port };
  throw new UsageError(`--listen: ${JSON.stringify(text)} is no HOST:PORT such as 0.0.0.0:4222`, help);
}

/** The user's name, as far as a subject can have it; "me" also for a user id without a name, as in containers. */
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
  return roomFor(relay);
}
