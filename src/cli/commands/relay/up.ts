import { basename, join } from "node:path";
import { requireInstalled } from "../../../actions/require-own-root.ts";
import { setServerSource } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { own } from "../../../config/written-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import { isNewEnough, oldestVersion } from "../../../relay/nats/connect.ts";
import { buildDurableName } from "../../../relay/nats/names.ts";
import { reload } from "../../../relay/server/reach-server.ts";
import { listNodes, listOwnAddresses, type OwnServer, readServer } from "../../../relay/server/server-settings.ts";
import { configFile } from "../../../relay/server/server-text.ts";
import { ensureOwnCredentials, setUpServer } from "../../../relay/server/set-up.ts";
import { docsPage } from "../../../text/version.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import type { ServerSetUp } from "../../output/relay-outputs.ts";
import { say, shortPath } from "../../say.ts";
import {
  credentialsFile,
  findServerProgram,
  formatStartCommand,
  referenceTo,
  type ServerProgram,
} from "./own-server.ts";
import { settingsFrom, type UpOptions } from "./up-options.ts";
import { clusterService, serverService } from "./user-service.ts";

/**
 * Runs `beckon relay up`: writes the configuration of a NATS server and makes this machine fetch from it. Does not
 * start the server.
 */
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
  if (options.json) {
    const { team, person } = settings;
    const found = program && { file: program.file, ...omitUndefined({ version: program.version }) };
    const output = { folder: server.files.folder, team, person, isNew: known === undefined, isRunning };
    context.print(jsonLine({ ...output, ...omitUndefined({ program: found }) } satisfies ServerSetUp));
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

function printResult({ files, settings }: OwnServer, isNew: boolean, context: CliContext): void {
  const folder = shortPath(files.folder, context.environment);
  const what = settings.isCluster ? "a cluster of NATS servers" : "a NATS server";
  say(
    `${isNew ? "Wrote" : "Updated"} the configuration of ${what} for the team ${settings.team} to ${folder}.`,
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
