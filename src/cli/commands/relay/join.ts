import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { isJsonObject } from "../../../config/check.ts";
import { hostName } from "../../../config/relay-table.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { type ServerInvitation, serverInvitationSchema } from "../../../relay/server/invitation-schema.ts";
import type { CliContext } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { requireOwnRoot } from "../../require-own-root.ts";
import { say } from "../../say.ts";
import { flat, sendSample, setNotifier } from "./hand-over-setup.ts";
import { joinServer } from "./join-server.ts";

const stdioSchema = z.object({
  beckon: z.literal(1),
  via: z.literal("stdio"),
  /** What this machine is called at the person's. */
  name: hostName,
  /** Recipients of age that its texts are sealed for. */
  seal: z.array(z.string()).optional(),
});
/** What a machine with agents needs to keep its events until they are fetched. */
export type Invitation = z.output<typeof stdioSchema>;

export interface JoinOptions {
  readonly json?: boolean;
}

/** What `relay join --json` prints: the notifier that it added, and the session of its sample event. */
export const joinedSchema = z.object({ notifier: z.string(), sample: z.string() });

/** Runs `beckon relay join`: stores what an invitation brings; a machine with agents sends a sample event its way. */
export async function runJoin(file: string, { json }: JoinOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  requireOwnRoot(context);
  if (!existsSync(paths.worker)) {
    throw new CommandError("beckon is not installed on this machine", "Run `beckon install` here first.");
  }
  const invitation = await readInvitation(file);
  if ("creds" in invitation) return joinServer(invitation, { json: json === true }, context);
  const { via, seal, name } = invitation;
  const notifier = await setNotifier({ via, ...omitUndefined({ seal: flat(seal) }) }, context);
  const sample = await sendSample(name, context);
  if (json) print(JSON.stringify({ notifier, sample }));
  else say(`This machine's events are handed over by the notifier ${notifier}. A sample event is on its way.`, context);
  return 0;
}

async function readInvitation(file: string): Promise<Invitation | ServerInvitation> {
  const where = file === "-" ? "standard input" : file;
  const content = file === "-" ? await text(process.stdin) : await readFile(file, "utf8").catch(() => undefined);
  if (content === undefined) throw new CommandError(`${where} cannot be read`, "Give the file of an invitation.");
  if (content.trim() === "")
    throw new CommandError(`${where} is empty`, "What made the invitation has failed: see what it said.");
  try {
    const invitation: unknown = JSON.parse(content);
    const isOfServer = isJsonObject(invitation) && "creds" in invitation;
    return isOfServer ? serverInvitationSchema.parse(invitation) : stdioSchema.parse(invitation);
  } catch {
    throw new CommandError(
      `${where} is no invitation that this version knows`,
      "`beckon relay invite` makes one; `beckon relay add -- ssh HOST` sets up both ends by itself.",
    );
  }
}
