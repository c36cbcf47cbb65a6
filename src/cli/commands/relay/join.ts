import { requireInstalled } from "../../../actions/require-own-root.ts";
import { foreign, own } from "../../../config/written-value.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say } from "../../say.ts";
import { agreesToWrites } from "./confirm-writes.ts";
import { describeOthers, planNotifier, sendSample, setNotifier, unwrapSingle } from "./hand-over-setup.ts";
import { type JoinOptions, joinServer } from "./join-server.ts";
import { readInvitation } from "./read-invitation.ts";

/** Runs `beckon relay join`: accepts an invitation. A machine with agents then sends a sample event. */
export async function runJoin(file: string, options: JoinOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const { json } = options;
  requireInstalled(context);
  const invitation = await readInvitation(file);
  if ("creds" in invitation) return joinServer(invitation, options, context);
  const { via, seal, name } = invitation;
  const recipients = unwrapSingle(seal);
  const planned = await planNotifier({ via: own(via), ...(recipients && { seal: foreign(recipients) }) }, context);
  const write = { file: paths.config, at: `notifiers.${planned.name}`, value: planned.entry };
  const title = `This machine will keep its events for the sender of the invitation to fetch, under the name ${name}.`;
  if (!json && !(await agreesToWrites(title, [write], options, context))) return 1;
  const { notifier, others } = await setNotifier(planned, context);
  const sample = await sendSample(name, context);
  if (json) print(jsonLine({ notifier, others, sample }));
  else {
    say(`The notifier ${notifier} now sends this machine's events. A sample event is on its way.`, context);
    say(describeOthers(others, "this machine", "there"), context);
  }
  return 0;
}
