import { setServerSource } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { foreign, own } from "../../../config/written-value.ts";
import { CommandError } from "../../../core/errors.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import { BrokenNotifiers, brokenFile } from "../../../pipeline/slots.ts";
import type { MachineCredentials, PersonCredentials } from "../../../relay/nats/credentials.ts";
import { buildDurableName } from "../../../relay/nats/names.ts";
import type { ServerInvitation } from "../../../relay/server/invitation.ts";
import { type CliContext, lineCells } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say } from "../../say.ts";
import { outcomesIn, outcomeTable, watchJournal } from "../install/sample-event.ts";
import { agreesToWrites } from "./confirm-writes.ts";
import { credentialsFile, hostCredentialsFile, referenceTo } from "./credentials-file.ts";
import { describeOthers, planNotifier, sendSample, setNotifier, unwrapSingle } from "./hand-over-setup.ts";

export interface JoinOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Time limit for the sample event to reach the server, in milliseconds. */
const sampleTimeoutMs = 30_000;

/** Stores the credentials and settings of an invitation to a server. Replaces those of an earlier invitation. */
export async function joinServer(
  invitation: ServerInvitation,
  options: JoinOptions,
  context: CliContext,
): Promise<number> {
  const { creds } = invitation;
  return creds.role === "machine"
    ? joinAsMachine(creds, invitation, options, context)
    : joinAsPerson(creds, invitation, options, context);
}

/** Sets up a machine with agents to send its events to the server, and sends a sample event. */
async function joinAsMachine(
  creds: MachineCredentials,
  { servers, seal }: ServerInvitation,
  { json, yes }: JoinOptions,
  context: CliContext,
): Promise<number> {
  const { paths, print } = context;
  const file = hostCredentialsFile(paths);
  const settings = {
    servers: foreign(servers),
    creds: own(referenceTo(file, context)),
    ...(seal && { seal: foreign(unwrapSingle(seal)) }),
  };
  const planned = await planNotifier(settings, context);
  const writes = [{ file }, { file: paths.config, at: `notifiers.${planned.name}`, value: planned.entry }];
  const title = `This machine will send its events to ${creds.people.join(" and ")}, under the name ${creds.host}.`;
  if (!json && !(await agreesToWrites(title, writes, { yes }, context))) return 1;
  writePrivateFile(file, `${JSON.stringify(creds)}\n`);
  const { notifier, others } = await setNotifier(planned, context);
  new BrokenNotifiers(brokenFile(paths)).forget({ name: notifier }); // equal settings may refer to new credentials
  const sample = await sendSample(creds.host, context);
  if (json) {
    print(jsonLine({ notifier, others, sample }));
    return 0;
  }
  say(
    `This machine is ${creds.host} and sends its events to ${creds.people.join(" and ")} through ${servers.join(", ")}.`,
    context,
  );
  say(describeOthers(others, "this machine", "there"), context);
  const outcomes = outcomesIn(await watchJournal({ paths, sampleWaitMs: sampleTimeoutMs }, sample));
  if (outcomes.length === 0) {
    throw new CommandError(
      "the sample event has not reached the server yet",
      "beckon keeps trying; to watch: beckon log --follow",
    );
  }
  print("Sample event:");
  for (const line of outcomeTable(outcomes, lineCells(context) - 2)) print(line);
  return outcomes.some(({ status, notifier: name }) => status === "sent" && name === notifier) ? 0 : 1;
}

/** Sets up a person's own machine to fetch events from the server. */
async function joinAsPerson(
  creds: PersonCredentials,
  { servers }: ServerInvitation,
  { json, yes }: JoinOptions,
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
  if (!json && !(await agreesToWrites(title, writes, { yes }, context))) return 1;
  writePrivateFile(file, `${JSON.stringify(creds)}\n`);
  await editConfig(paths, (text) => setServerSource(text, paths.config, source));
  if (json) print(jsonLine({ person: creds.person }));
  else {
    say(`Events for ${creds.person} come from ${servers.join(", ")}.`, context);
    say("To fetch them, run `beckon relay run`, or `beckon relay run --service` to start it at every login.", context);
  }
  return 0;
}
