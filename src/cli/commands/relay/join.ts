import { createReadStream, rmSync } from "node:fs";
import * as z from "zod";
import type { RelayLeave as LeftOutput } from "../../../../docs/output.d.ts";
import { requireInstalled, requireOwnRoot } from "../../../actions/require-own-root.ts";
import { removeNotifier, removeRelaySource, setServerSource, withoutEmpty } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { hostName, type RelaySource, sourceName } from "../../../config/relay-table.ts";
import { foreign, own } from "../../../config/written-value.ts";
import { CommandError } from "../../../core/errors.ts";
import { parseJson } from "../../../core/json-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { ageRecipients } from "../../../core/relay-address.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import { readStart } from "../../../files/read-file.ts";
import type { MachineCredentials, PersonCredentials } from "../../../relay/nats/credentials.ts";
import { buildDurableName } from "../../../relay/nats/names.ts";
import { Outbox } from "../../../relay/outbox.ts";
import { relayFiles } from "../../../relay/relay-status.ts";
import { sealText } from "../../../relay/seal.ts";
import { type ServerInvitation, serverInvitationSchema } from "../../../relay/server/invitation.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say, shortPath } from "../../say.ts";
import { outcomeTable, watchJournal } from "../install/sample-event.ts";
import { agreesToWrites, type ConsentOptions, describeOthers, handOver, sampleTimeoutMs } from "./hand-over-setup.ts";
import { credentialsFile, hostCredentialsFile, referenceTo, removeCredentials } from "./own-server.ts";
import { runRemote } from "./remote.ts";
import { removeService } from "./user-service.ts";

/**
 * Runs `beckon relay join`: accepts an invitation. Its credentials and settings replace those of an earlier invitation. A
 * machine with agents then sends a sample event.
 */
export async function runJoin(file: string, options: ConsentOptions, context: CliContext): Promise<number> {
  requireInstalled(context);
  const invitation = await readInvitation(file);
  if (!("creds" in invitation)) return joinOverPipes(invitation, options, context);
  const { creds } = invitation;
  return creds.role === "machine"
    ? joinAsMachine(creds, invitation, options, context)
    : joinAsPerson(creds, invitation, options, context);
}

/** Sets up a machine to keep its events until another machine fetches them. */
async function joinOverPipes({ via, seal, name }: Invitation, options: ConsentOptions, context: CliContext) {
  const settings = { via: own(via), ...sealFor(seal) };
  const title = `This machine will keep its events for the sender of the invitation to fetch, under the name ${name}.`;
  const done = await handOver({ settings, name, title }, options, context);
  if (done && !options.json) {
    say(`The notifier ${done.notifier} now sends this machine's events. A sample event is on its way.`, context);
    say(describeOthers(done.others, "this machine", "there"), context);
  }
  return done ? 0 : 1;
}

/** Returns the setting for encryption: a single recipient as a text, several as a list. */
function sealFor(recipients: readonly string[] | undefined) {
  return recipients && { seal: foreign(recipients.length === 1 ? recipients[0] : recipients) };
}

/** Sets up a machine with agents to send its events to the server. */
async function joinAsMachine(
  creds: MachineCredentials,
  { servers, seal }: ServerInvitation,
  options: ConsentOptions,
  context: CliContext,
): Promise<number> {
  const { paths, print } = context;
  const { host: name, people } = creds;
  const file = hostCredentialsFile(paths);
  const settings = { servers: foreign(servers), creds: own(referenceTo(file, context)), ...sealFor(seal) };
  const title = `This machine will send its events to ${people.join(" and ")}, under the name ${name}.`;
  const credentials = { file, text: `${JSON.stringify(creds)}\n` };
  const done = await handOver({ settings, name, title, credentials }, options, context);
  if (!done || options.json) return done ? 0 : 1;
  say(
    `This machine is ${name} and sends its events to ${people.join(" and ")} through ${servers.join(", ")}.`,
    context,
  );
  say(describeOthers(done.others, "this machine", "there"), context);
  const { outcomes } = await watchJournal({ paths, sampleWaitMs: sampleTimeoutMs }, done.sample);
  if (outcomes.length === 0) {
    throw new CommandError(
      "the sample event has not reached the server yet",
      "beckon keeps trying; to watch: beckon log --follow",
    );
  }
  print("Sample event:");
  for (const line of outcomeTable(outcomes, context)) print(line);
  return outcomes.some(({ status, notifier }) => status === "sent" && notifier === done.notifier) ? 0 : 1;
}

/** Sets up a person's own machine to fetch events from the server. */
async function joinAsPerson(
  creds: PersonCredentials,
  { servers }: ServerInvitation,
  options: ConsentOptions,
  context: CliContext,
): Promise<number> {
  const { paths, print } = context;
  const file = credentialsFile(paths, creds.person);
  const source = {
    servers: foreign(servers),
    creds: own(referenceTo(file, context)),
    durable: foreign(buildDurableName(creds)),
  };
  const title = `This machine will fetch the events for ${creds.person} from ${servers.join(", ")}.`;
  const writes = [{ file }, { file: paths.config, at: "relay.from", value: source }];
  if (!(await agreesToWrites(title, writes, options, context))) return 1;
  writePrivateFile(file, `${JSON.stringify(creds)}\n`);
  await editConfig(paths, (text) => setServerSource(text, paths.config, source));
  if (options.json) print(jsonLine({ person: creds.person }));
  else {
    say(`Events for ${creds.person} come from ${servers.join(", ")}.`, context);
    say("To fetch them, run `beckon relay run`, or `beckon relay run --service` to start it at every login.", context);
  }
  return 0;
}

const stdioSchema = z.object({
  beckon: z.literal(1),
  via: z.literal("stdio"),
  /** Name that the receiving machine has for this machine. */
  name: hostName,
  /** Public keys for which this machine encrypts message texts. */
  seal: ageRecipients.optional(),
});

/** Invitation for a machine that keeps its events until another machine fetches them. */
export type Invitation = z.output<typeof stdioSchema>;

const inviteHint = "Create one with `beckon relay invite`, or set up both ends with `beckon relay add -- ssh HOST`.";
/** Maximum size of an invitation, bytes: fits a certificate and 50 post-quantum recipients of 2 KB. */
const maxInvitationBytes = 256 * 1024;

/**
 * Reads an invitation from a file, or from standard input for `-`.
 * @throws {CommandError} for an invalid invitation, or an invitation with a key that age refuses
 */
async function readInvitation(file: string): Promise<Invitation | ServerInvitation> {
  const where = file === "-" ? "standard input" : file;
  const stream = file === "-" ? process.stdin : createReadStream(file);
  const content = await readStart(stream, maxInvitationBytes).catch(() => undefined);
  if (content === undefined) throw new CommandError(`${where} cannot be read`, "Give the path of an invitation file.");
  if (content.toString().trim() === "")
    throw new CommandError(`${where} is empty`, "The command that creates the invitation failed; see its output.");
  if (content.length > maxInvitationBytes)
    throw new CommandError(`${where} is too large to be an invitation`, inviteHint);
  const invitation = z.union([serverInvitationSchema, stdioSchema]).safeParse(parseJson(content.toString())).data;
  if (!invitation)
    throw new CommandError(`${where} is not an invitation, or needs another version of beckon`, inviteHint);
  // Only age itself finds a key with a typo.
  await sealText("", invitation.seal ?? []).catch(() => {
    throw new CommandError(
      "the invitation contains an encryption recipient that age refuses",
      "Ask the sender for a new invitation (beckon relay invite).",
    );
  });
  return invitation;
}

/** Time limit for notifying the other machine, in milliseconds. */
const leaveTimeoutMs = 30_000;

/**
 * Runs `beckon relay leave`. With a name, stops fetching events from that machine; without one, stops sending events.
 */
export async function runLeave(
  host: string | undefined,
  options: ConsentOptions,
  context: CliContext,
): Promise<number> {
  requireOwnRoot(context);
  return host === undefined ? stopHandingOver(options, context) : stopFetching(host, options, context);
}

async function stopFetching(host: string, { yes, json }: ConsentOptions, context: CliContext): Promise<number> {
  const { paths, print, environment } = context;
  const { relay } = await loadConfig(paths.config);
  const sources = relay?.from.filter((source) => sourceName(source) === host) ?? [];
  await editConfig(paths, (text) => removeRelaySource(text, paths.config, host));
  for (const source of sources) if ("creds" in source) removeCredentials(source.creds, context);
  const isLast = (relay?.from.length ?? 0) === sources.length;
  const service = isLast ? await removeService(context) : undefined;
  if (!json) {
    say(`This machine no longer receives events from ${host}.`, context);
    if (service !== undefined)
      say(`Removed ${shortPath(service, environment)}: no machines are left to fetch from.`, context);
  }
  const problem = await notifyRemote(sources, yes === true);
  if (json) print(jsonLine({ host, ...omitUndefined({ service, problem }) } satisfies LeftOutput));
  else if (problem !== undefined)
    say(`${host} still keeps events for you: ${problem}. To stop that, run \`beckon relay leave\` there.`, context);
  return 0;
}

/** Asks the other machine to stop keeping events. Returns the reason if that failed. */
async function notifyRemote(sources: readonly RelaySource[], yes: boolean): Promise<string | undefined> {
  let problem = "it could not be reached";
  for (const source of sources) {
    if (!("via" in source)) return undefined; // a server needs no notice: its events expire
    const result = await runRemote(source.via, `beckon_ relay leave${yes ? " --yes" : ""}\n`, leaveTimeoutMs).catch(
      () => undefined,
    );
    if (result?.exitCode === 0) return undefined;
    problem =
      result?.stderr.split("\n").flatMap((line) => /^beckon: (.+)/.exec(cleanLine(line))?.[1] ?? [])[0] ?? problem;
  }
  return problem;
}

async function stopHandingOver({ yes, json }: ConsentOptions, context: CliContext): Promise<number> {
  const { paths } = context;
  const { notifiers } = await loadConfig(paths.config);
  const names = [...notifiers.values()].filter(({ notifier }) => notifier.relays).map(({ name }) => name);
  if (names.length === 0) {
    throw new CommandError("this machine does not send its events anywhere", "To see the setup: beckon relay status");
  }
  const { outbox } = relayFiles(paths);
  const waiting = new Outbox(outbox).entries().length;
  if (waiting > 0 && !yes) {
    throw new CommandError(
      `${waiting} events are waiting to be fetched`,
      "To delete them, add --yes. They stay in `beckon log`.",
    );
  }
  await editConfig(paths, (text) => {
    const left = names.reduce((rest, name) => removeNotifier(rest, paths.config, name), text);
    return withoutEmpty(left, paths.config, ["notifiers"]); // without any notifier, the defaults apply again
  });
  rmSync(outbox, { recursive: true, force: true });
  rmSync(hostCredentialsFile(paths), { force: true });
  if (json) context.print(jsonLine({ notifiers: names, deleted: waiting } satisfies LeftOutput));
  else say("This machine no longer sends its events.", context);
  return 0;
}
