import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { makePrivateFolder, readStateFile, replaceQuietly } from "../../files/atomic-file.ts";
import type { Paths } from "../../files/paths.ts";
import { readQuietly } from "../../files/read-file.ts";
import { derivePublicKey, newUserKey, personCredentialsSchema } from "../nats/credentials.ts";
import { newIdentity } from "../seal.ts";
import { type Certified, matchesNames, newAuthority, newServerCertificate } from "./certificates.ts";
import { invite } from "./invitation.ts";
import {
  listNodes,
  type Node,
  type OwnServer,
  readServer,
  type ServerSettings,
  serverFiles,
} from "./server-settings.ts";
import { configFile, serverText } from "./server-text.ts";
import { readUsers, writeUsers } from "./users.ts";

/** Chooses the disk space for a new stream, bytes: a quarter of the free space, at least 64 MiB and at most 1 GiB. */
export async function computeStreamBytes(folder: string): Promise<number> {
  makePrivateFolder(folder);
  const { bavail, bsize } = await statfs(folder);
  return Math.max(64 * 1024 ** 2, Math.min(1024 ** 3, Math.floor((bavail * bsize) / 4)));
}

/**
 * Writes the files of a server, or of each server of a cluster. Keeps existing keys and certificates.
 * @throws {InputError} if the folder is not writable
 */
export async function setUpServer(
  paths: Pick<Paths, "relay">,
  settings: ServerSettings,
  nowMs: number,
): Promise<OwnServer> {
  const files = serverFiles(paths);
  makePrivateFolder(files.folder);
  const kept = readServer(paths)?.keys;
  const { identity } = kept ?? (await newIdentity());
  const keys = kept ?? { admin: newUserKey().seed, system: newUserKey().seed, identity };
  const authority = readPair(files.authority, files.authorityKey) ?? (await newAuthority(nowMs));
  const server: OwnServer = { files, settings, keys, ca: authority.certificate };
  write(files.keys, `${JSON.stringify(keys)}\n`);
  write(files.authorityKey, authority.key);
  write(files.authority, authority.certificate);
  for (const node of listNodes(settings, files.folder)) await writeNode(server, authority, node, nowMs);
  writeUsers(server, readUsers(files.users));
  // Last, because this file marks a complete set-up.
  write(files.settings, `${JSON.stringify(settings, undefined, 2)}\n`);
  return server;
}

async function writeNode(server: OwnServer, authority: Certified, node: Node, nowMs: number): Promise<void> {
  const pathTo = (name: string): string => join(node.folder, name);
  const known = readPair(pathTo("server.pem"), pathTo("server.key"));
  const pair =
    known && matchesNames(known.certificate, node.certificateNames)
      ? known
      : await newServerCertificate(authority, node.certificateNames, nowMs);
  write(pathTo("ca.pem"), authority.certificate);
  write(pathTo("server.key"), pair.key);
  write(pathTo("server.pem"), pair.certificate);
  write(pathTo(configFile), serverText(server, node));
}

/** Creates credentials and a NATS user for the local user, unless the file has valid ones. The server need not run. */
export async function ensureOwnCredentials(server: OwnServer, file: string, nowMs: number): Promise<void> {
  const users = readUsers(server.files.users);
  const known = readStateFile(file, () => personCredentialsSchema.optional(), undefined);
  const key = known && derivePublicKey(known.seed);
  if (users.some((user) => user.key === key)) return;
  const { invitation, user } = await invite(server, { role: "person", person: server.settings.person }, { nowMs });
  writeUsers(server, [...users, user]);
  write(file, `${JSON.stringify(invitation.creds)}\n`);
}

function readPair(certificateFile: string, keyFile: string): Certified | undefined {
  const [certificate, key] = [readQuietly(certificateFile), readQuietly(keyFile)];
  return certificate && key ? { certificate, key } : undefined;
}

/** Writes a file unless its text is unchanged. */
function write(file: string, text: string): void {
  if (readQuietly(file) === text) return;
  if (!replaceQuietly(file, text)) throw new InputError("relay.server", `${file} cannot be written`);
}
