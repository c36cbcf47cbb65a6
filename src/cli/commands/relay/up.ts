import { basename, join } from "node:path";
import { requireInstalled } from "../../../actions/require-own-root.ts";
import { setServerSource } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { own } from "../../../config/written.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import { durableOf } from "../../../relay/nats/names.ts";
import { isNewEnough, oldestVersion } from "../../../relay/nats/version.ts";
import { reload } from "../../../relay/server/reach-server.ts";
import { nodesOf, type OwnServer, ownAddressesOf, readServer } from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import { ensureOwnCredentials, setUpServer } from "../../../relay/server/set-up.ts";
import type { CliContext } from "../../context.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";
import { credentialsFile, referenceTo } from "./credentials-file.ts";
import { findServerProgram, type ServerProgram, startByHand } from "./server-program.ts";
import { settingsFrom, type UpOptions } from "./up-options.ts";
import { clusterService, serverService } from "./user-service.ts";

/** Runs `beckon relay up`: writes what a server of NATS needs, and has this machine fetch from it. Starts nothing. */
export async function runUp(options: UpOptions, context: CliContext): Promise<number> {
  const { paths, environment } = context;
  requireInstalled(context);
  const known = readServer(paths)?.settings;
  const settings = await settingsFrom(options, known, paths);
  const nowMs = context.now?.() ?? Date.now();
  const server = await setUpServer(paths, settings, nowMs);
  const program = await findServerProgram(environment);
  const creds = credentialsFile(paths, settings.person);
  await ensureOwnCredentials(server, creds, nowMs);
  await fetchFrom(server, creds, context);
  const isRunning = known !== undefined && (await reload(server)).length === 0;
  tell(server, known === undefined, context);
  tellProgram(program, server, context);
  if (isRunning) say("The server runs, and has read them anew.", context);
  await tellStart(server, program, isRunning, context);
  return 0;
}

/** Has this machine fetch what comes for its person. */
async function fetchFrom({ settings }: OwnServer, creds: string, context: CliContext): Promise<void> {
  const { paths } = context;
  const source = {
    servers: own(ownAddressesOf(settings)),
    creds: own(referenceTo(creds, context)),
    durable: own(durableOf(settings)),
  };
  const { relay } = await loadConfig(paths.config);
  if (relay?.from.some((one) => "creds" in one && one.creds === source.creds)) return;
  await editConfig(paths, (text) => setServerSource(text, paths.config, source));
}

function tell({ files, settings }: OwnServer, isNew: boolean, context: CliContext): void {
  const folder = shortPath(files.folder, context.environment);
  const what = settings.isCluster ? "the servers of a cluster" : "a server of NATS";
  say(
    `${folder} has ${isNew ? "what is needed for" : "the files of"} ${what}, for the team ${settings.team}.`,
    context,
  );
  if (isNew) say(`What comes for ${settings.person} is going to be fetched by this machine.`, context);
}

function tellProgram(program: ServerProgram | undefined, { settings }: OwnServer, context: CliContext): void {
  if (settings.isCluster) return;
  if (!program) {
    say("There is no nats-server on this machine yet: docs/relay.md says where to get it.", context);
  } else if (program.version !== undefined && !isNewEnough(program.version)) {
    const { file, version } = program;
    say(`${file} is ${version}, which is too old: beckon needs ${oldestVersion} or newer.`, context);
  }
}

async function tellStart(
  server: OwnServer,
  program: ServerProgram | undefined,
  isRunning: boolean,
  context: CliContext,
): Promise<void> {
  const { environment, print } = context;
  const nodes = nodesOf(server.settings, server.files.folder);
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
    const text = service ? "To start the server, now and from every login on:" : "To start the server:";
    say(`Nothing is started yet. ${text}`, context);
    if (service) print(`  ${service.start}\nOr only to try it:`);
    print(`  ${startByHand(server, environment)}`);
  }
  say("Then, for each machine with agents, and once for this one:", context);
  print("  beckon relay invite ci-7 | ssh ci-7 beckon relay join -");
  print("  beckon relay run --service");
}
