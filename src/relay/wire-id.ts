import { createHmac, randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { createFile, makePrivateFolder, replaceFile } from "../files/atomic-file.ts";
import { readQuietly } from "../files/read-file.ts";

/**
 * Creates a function that converts an event's local id to the id that other machines see. The result is the same for
 * every connection and attempt. It is unguessable, unlike some launchers' local ids.
 * @param file file with this machine's secret, created if missing
 */
export function wireIds(file: string): (id: string) => string {
  const secret = readOrCreateSecret(file);
  return (id) => `r_${createHmac("sha256", secret).update(id).digest("base64url")}`;
}

/** Reads the secret, or creates it. @throws the system's error if the file cannot be read or written */
function readOrCreateSecret(file: string): string {
  const known = readQuietly(file)?.trim();
  if (known) return known;
  makePrivateFolder(dirname(file));
  const secret = `${randomBytes(32).toString("base64url")}\n`;
  if (known === undefined)
    createFile(file, secret); // unless another process created the file first
  else replaceFile(file, secret); // the file was empty
  const made = readQuietly(file)?.trim();
  if (!made) throw new Error(`${file} holds no secret`);
  return made;
}
