import { createHmac, randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { createFile, makePrivateFolder, replaceFile } from "../files/atomic-file.ts";
import { readQuietly } from "../files/read-file.ts";

/**
 * Makes the ids by which other machines know this machine's events. An event has the same id over every connection and
 * attempt. Only machines that received an id can know it; a launcher's own ids can be guessed on some systems.
 * @param file this machine's secret, created if missing
 */
export function wireIds(file: string): (id: string) => string {
  const secret = readOrCreateSecret(file);
  return (id) => `r_${createHmac("sha256", secret).update(id).digest("base64url")}`;
}

/** @throws the system's error if the file can be neither read nor written */
function readOrCreateSecret(file: string): string {
  const known = readQuietly(file)?.trim();
  if (known) return known;
  makePrivateFolder(dirname(file));
  const secret = `${randomBytes(32).toString("base64url")}\n`;
  if (known === undefined)
    createFile(file, secret); // unless another process was faster
  else replaceFile(file, secret); // the file was empty
  const made = readQuietly(file)?.trim();
  if (!made) throw new Error(`${file} holds no secret`);
  return made;
}
