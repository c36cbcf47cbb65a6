import { createReadStream } from "node:fs";
import * as z from "zod";
import { hostName } from "../../../config/relay-table.ts";
import { ageRecipients } from "../../../core/age-recipient.ts";
import { CommandError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json-value.ts";
import { sealText } from "../../../relay/seal.ts";
import { type ServerInvitation, serverInvitationSchema } from "../../../relay/server/invitation-schema.ts";

const stdioSchema = z.object({
  beckon: z.literal(1),
  via: z.literal("stdio"),
  /** Name of this machine at the receiver. */
  name: hostName,
  /** Recipients that its texts are sealed for. */
  seal: ageRecipients.optional(),
});
/** The invitation for a machine that keeps its events until they are fetched. */
export type Invitation = z.output<typeof stdioSchema>;

const makers = "`beckon relay invite` makes one; `beckon relay add -- ssh HOST` sets up both ends on its own.";
/** Largest invitation, bytes: a certificate and 50 post-quantum recipients of 2 KB fit. */
const maxInvitationBytes = 256 * 1024;

/**
 * Reads an invitation from a file, or from standard input for `-`.
 * @throws {CommandError} for anything else than an invitation whose recipients age accepts
 */
export async function readInvitation(file: string): Promise<Invitation | ServerInvitation> {
  const where = file === "-" ? "standard input" : file;
  const content = await readStart(file === "-" ? process.stdin : createReadStream(file));
  if (content === undefined) throw new CommandError(`${where} cannot be read`, "Give the file of an invitation.");
  if (content.trim() === "")
    throw new CommandError(`${where} is empty`, "What made the invitation has failed: see what it said.");
  if (content.length > maxInvitationBytes) throw new CommandError(`${where} is too large to be an invitation`, makers);
  const invitation = parseInvitation(content);
  if (!invitation) throw new CommandError(`${where} is no invitation that this version knows`, makers);
  await assertRecipients(invitation.seal ?? []);
  return invitation;
}

/** Reads a stream, up to one chunk beyond the largest invitation; undefined if it cannot be read. */
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

/** @throws {CommandError} for a recipient that age refuses, such as one with a typing error */
async function assertRecipients(recipients: readonly string[]): Promise<void> {
  try {
    await sealText("", recipients);
  } catch {
    throw new CommandError(
      "the invitation seals texts for a recipient that age refuses",
      "Ask its sender for another: `beckon relay invite` makes one.",
    );
  }
}
