import * as z from "zod";
import { requireInstalled } from "../../../actions/require-own-root.ts";
import { foreign, own } from "../../../config/written.ts";
import type { CliContext } from "../../context.ts";
import { say } from "../../say.ts";
import { agreesToWrites } from "./agree.ts";
import { flat, planNotifier, sendSample, setNotifier } from "./hand-over-setup.ts";
import { type JoinOptions, joinServer } from "./join-server.ts";
import { readInvitation } from "./read-invitation.ts";

/** What `relay join --json` prints: the notifier that it added, and the session of its sample event. */
export const joinedSchema = z.object({ notifier: z.string(), sample: z.string() });

/** Runs `beckon relay join`: stores what an invitation brings; a machine with agents sends a sample event its way. */
export async function runJoin(file: string, options: JoinOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const { json } = options;
  requireInstalled(context);
  const invitation = await readInvitation(file);
  if ("creds" in invitation) return joinServer(invitation, options, context);
  const { via, seal, name } = invitation;
  const recipients = flat(seal);
  const planned = await planNotifier({ via: own(via), ...(recipients && { seal: foreign(recipients) }) }, context);
  const write = { file: paths.config, at: `notifiers.${planned.name}`, value: planned.entry };
  const title = `As ${name}, this machine is going to keep its events until the sender of the invitation fetches them.`;
  if (!json && !(await agreesToWrites(title, [write], options, context))) return 1;
  const notifier = await setNotifier(planned, context);
  const sample = await sendSample(name, context);
  if (json) print(JSON.stringify({ notifier, sample }));
  else say(`This machine's events are handed over by the notifier ${notifier}. A sample event is on its way.`, context);
  return 0;
}
