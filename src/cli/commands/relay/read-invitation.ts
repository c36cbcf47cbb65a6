import { createReadStream } from "node:fs";
import * as z from "zod";
import { hostName } from "../../../config/relay-table.ts";
import { CommandError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json-value.ts";
import { ageRecipients } from "../../../core/relay-address.ts";
import { sealText } from "../../../relay/seal.ts";
import { type ServerInvitation, serverInvitationSchema } from "../../../relay/server/invitation.ts";

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
export async function readInvitation(file: string): Promise<Invitation | ServerInvitation> {
  const where = file === "-" ? "standard input" : file;
  const content = await readStart(file === "-" ? process.stdin : createReadStream(file));
  if (content === undefined) throw new CommandError(`${where} cannot be read`, "Give the path of an invitation file.");
  if (content.trim() === "")
    throw new CommandError(`${where} is empty`, "The command that creates the invitation failed; see its output.");
  if (content.length > maxInvitationBytes)
    throw new CommandError(`${where} is too large to be an invitation`, inviteHint);
  const invitation = parseInvitation(content);
  if (!invitation)
    throw new CommandError(`${where} is not an invitation, or needs another version of beckon`, inviteHint);
  await assertRecipients(invitation.seal ?? []);
  return invitation;
}

/** Reads a stream, up to one chunk beyond the size limit; undefined on an error. */
async function readStart(stream: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxInvitationBytes) break;
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

function parseInvitation(text: string): Invitation | ServerInvitation | undefined {
  try {
    const invitation: unknown = JSON.parse(text);
    const isOfServer = isObject(invitation) && "creds" in invitation;
    return isOfServer ? serverInvitationSchema.parse(invitation) : stdioSchema.parse(invitation);
  } catch {
    return undefined;
  }
}

/**
 * Checks with age that public keys are valid.
 * @throws {CommandError} for a key that age refuses, such as one with a typo
 */
async function assertRecipients(recipients: readonly string[]): Promise<void> {
  try {
    await sealText("", recipients);
  } catch {
    throw new CommandError(
      "the invitation contains an encryption recipient that age refuses",
      "Ask the sender for a new invitation (beckon relay invite).",
    );
  }
}
