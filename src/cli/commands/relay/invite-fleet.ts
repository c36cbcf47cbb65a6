import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { CommandError, readErrno, UsageError } from "../../../core/errors.ts";
import { makePrivateFolder } from "../../../files/atomic-file.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";
import { type InviteOptions, inviteAll, parseGuest } from "./invite.ts";
import { parseExpiry, requireServer } from "./own-server.ts";

/** Invitation file of one machine. */
interface HostFile {
  readonly host: string;
  readonly file: string;
}

/**
 * Runs `beckon relay invite NAME --count N --out FOLDER`: invites the machines NAME-1 to NAME-N with one change of the
 * server, and writes a private file for each. Overwrites nothing.
 * @throws {UsageError | CommandError}
 */
export async function runInviteFleet(
  name: string | undefined,
  count: number,
  options: Omit<InviteOptions, "count">,
  context: CliContext,
): Promise<number> {
  const { out, person = [], json } = options;
  requireOwnRoot(context);
  if (name === undefined || out === undefined)
    throw new UsageError(
      "--count needs NAME, with which the machines' names begin, and --out FOLDER",
      "Example: beckon relay invite ci --count 20 --out invitations",
    );
  const folder = resolve(out);
  const guests = Array.from({ length: count }, (_, index) => parseGuest(`${name}-${index + 1}`, person));
  const files = guests.flatMap((guest): HostFile[] =>
    guest.role === "machine" ? [{ host: guest.host, file: join(folder, `${guest.host}.json`) }] : [],
  );
  const existing = files.find(({ file }) => existsSync(file));
  if (existing) throw new CommandError(`${existing.file} already exists`, "Choose another folder with --out.");
  const validMs = parseExpiry(options.expires);
  const server = await requireServer(context);
  const { invitations, withdraw } = await inviteAll(guests, server, validMs, context);
  const written: string[] = [];
  try {
    makePrivateFolder(folder);
    for (const [index, { file }] of files.entries()) {
      writeFileSync(file, `${JSON.stringify(invitations[index]?.invitation)}\n`, { flag: "wx", mode: 0o600 });
      written.push(file);
    }
  } catch (error) {
    await withdraw();
    for (const file of written) rmSync(file, { force: true });
    throw new CommandError(
      `${folder} cannot be written to (${readErrno(error) ?? "unknown error"}); the invitations were withdrawn`,
      "Choose a folder of yours with --out.",
    );
  }
  if (json) context.print(jsonLine({ invitations: files }));
  else report(files, folder, context);
  return 0;
}

function report(files: readonly HostFile[], folder: string, context: CliContext): void {
  const [first, last] = [files[0]?.host, files.at(-1)?.host];
  const shown = shortPath(folder, context.environment);
  say(`Invited ${files.length} machines, ${first} to ${last}: one file for each in ${shown}`, context);
  say("Anyone with a file gets access. Run `beckon relay join FILE` on its machine, then delete the file.", context);
}
