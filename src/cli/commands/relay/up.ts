import { hostname, userInfo } from "node:os";
import { basename, join } from "node:path";
import type { RelayUp as ServerSetUp } from "../../../../docs/output.d.ts";
import { requireInstalled } from "../../../actions/require-own-root.ts";
import { setServerSource } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { own } from "../../../config/written-value.ts";
import { CommandError, UsageError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { quietly } from "../../../core/quietly.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import type { Paths } from "../../../files/paths.ts";
import { isNewEnough, oldestVersion } from "../../../relay/nats/connect.ts";
import { buildDurableName, nameToken } from "../../../relay/nats/names.ts";
import { reload } from "../../../relay/server/reach-server.ts";
import {
  listNodes,
  listOwnAddresses,
  type OwnServer,
  readServer,
  type ServerSettings,
  serverName,
} from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import { computeStreamBytes, ensureOwnCredentials, setUpServer } from "../../../relay/server/set-up.ts";
import { docsPage } from "../../../text/version.ts";
import type { CliContext } from "../../context.ts";
import { type JsonOption, jsonLine } from "../../output/json-line.ts";
import { say, shortPath } from "../../say.ts";
import {
  checkName,
  credentialsFile,
  findServerProgram,
  formatStartCommand,
  referenceTo,
  type ServerProgram,
} from "./own-server.ts";
import { clusterService, serverService } from "./user-service.ts";

export interface UpOptions extends JsonOption {
  readonly listen?: string;
  readonly name?: readonly string[];
  readonly cluster?: string;
  readonly team?: string;
  readonly person?: string;
}

/**
 * Runs `beckon relay up`: writes the configuration of a NATS server and makes this machine fetch from it. Does not
 * start the server.
 */
export async function runUp(options: UpOptions, context: CliContext): Promise<number> {
  const { paths, environment } = context;
  requireInstalled(context);
  const known = readServer(paths)?.settings;
  const settings = await settingsFrom(options, known, paths);
  const nowMs = context.now();
  const server = await setUpServer(paths, settings, nowMs);
  const program = await findServerProgram(environment);
  const creds = credentialsFile(paths, settings.person);
  await ensureOwnCredentials(server, creds, nowMs);
  await fetchFrom(server, creds, context);
  const isRunning = known !== undefined && (await reload(server)).length === 0;
  if (options.json) {
    const { team, person } = settings;
    const output = { folder: server.files.folder, team, person, isNew: known === undefined, isRunning };
    context.print(jsonLine({ ...output, ...omitUndefined({ program }) } satisfies ServerSetUp));
  }
  const said = options.json ? { ...context, print: () => {} } : context;
  printResult(server, known === undefined, said);
  printProgram(program, server, said);
  if (isRunning) say("The server is running and has reloaded them.", said);
  await printStart(server, program, isRunning, said);
  return 0;
}

/** Makes this machine fetch its user's events. */
async function fetchFrom({ settings }: OwnServer, creds: string, context: CliContext): Promise<void> {
  const { paths } = context;
  const source = {
    servers: own(listOwnAddresses(settings)),
    creds: own(referenceTo(creds, context)),
    durable: own(buildDurableName(settings)),
  };
  const { relay } = await loadConfig(paths.config);
  if (relay?.from.some((known) => "creds" in known && known.creds === source.creds)) return;
  await editConfig(paths, (text) => setServerSource(text, paths.config, source));
}

/** Name of a team that was given none. */
const usualTeam = "team";

function printResult({ files, settings }: OwnServer, isNew: boolean, context: CliContext): void {
  const folder = shortPath(files.folder, context.environment);
  const what = settings.isCluster ? "a cluster of NATS servers" : "a NATS server";
  say(
    `${isNew ? "Wrote" : "Updated"} the configuration of ${what} for ${settings.team === usualTeam ? "your team" : `the team ${settings.team}`} to ${folder}.`,
    context,
  );
  if (isNew) say(`This machine will fetch the events for ${settings.person}.`, context);
}

function printProgram(program: ServerProgram | undefined, { settings }: OwnServer, context: CliContext): void {
  if (settings.isCluster) return;
  if (!program) {
    say(`nats-server is not installed on this machine. How to get it: ${docsPage("relay")}`, context);
  } else if (program.version !== undefined && !isNewEnough(program.version)) {
    const { file, version } = program;
    say(`${file} is version ${version}, but beckon needs ${oldestVersion} or newer.`, context);
  }
}

async function printStart(
  server: OwnServer,
  program: ServerProgram | undefined,
  isRunning: boolean,
  context: CliContext,
): Promise<void> {
  const { environment, print } = context;
  const nodes = listNodes(server.settings, server.files.folder);
  if (server.settings.isCluster) {
    say("Copy each folder to its server and start it there:", context);
    for (const node of nodes) {
      const { file, text } = clusterService(join(node.folder, configFile));
      writePrivateFile(file, text);
      print(`  scp -r ${shortPath(node.folder, environment)} ${node.name}:beckon-nats`);
      print(
        `  ssh ${node.name} 'systemctl --user enable --now ~/beckon-nats/${basename(file)} && loginctl enable-linger'`,
      );
    }
  } else {
    const [node] = nodes;
    const service = node && serverService(join(node.folder, configFile), program?.file ?? "nats-server", environment);
    if (service) writePrivateFile(service.file, service.text);
    if (isRunning) return;
    const text = service ? "To start it now and at every login:" : "To start it:";
    say(`The server is not running yet. ${text}`, context);
    if (service) print(`  ${service.start}\nTo run it in the foreground:`);
    print(`  ${formatStartCommand(server, environment)}`);
  }
  say("Then invite each machine with agents, and start fetching on this one:", context);
  print("  beckon relay invite ci-7 | ssh ci-7 beckon relay join - --yes");
  print("  beckon relay run --service");
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
    team: checkName(team, "--team", help) ?? known?.team ?? usualTeam,
    person: checkName(person, "--person", help) ?? known?.person ?? ownName(),
    names: names ?? known?.names ?? [serverName.test(hostname()) ? hostname() : "localhost"],
    listen: listen === undefined ? (known?.listen ?? defaultListen) : readListen(listen),
    isCluster: members ? true : (known?.isCluster ?? false),
    maxBytes: known?.maxBytes ?? (await computeStreamBytes(relay)),
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
  const words = quietly(() => userInfo().username.match(/[A-Za-z0-9]+/g));
  const name = words?.join("-") ?? "";
  return nameToken.test(name) ? name : "me";
}
