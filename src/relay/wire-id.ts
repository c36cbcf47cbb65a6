import { createHmac, randomBytes } from "node:crypto";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { readQuietly } from "../core/read-quietly.ts";

/**
 * Makes the ids by which other machines know this one's events: the same for an event on every way and each time, and
 * such that nobody who has not seen one can name it. A launcher's own ids can be guessed on some systems.
 * @param file where this machine's secret is kept; made where there is none
 */
export function wireIds(file: string): (id: string) => string {
  const secret = secretIn(file);
  return (id) => `r_${createHmac("sha256", secret).update(id).digest("base64url")}`;
}

/** @throws the system's error where it can be neither read nor written */
function secretIn(file: string): string {
  const known = readQuietly(file)?.trim();
  if (known) return known;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const whole = `${file}.${process.pid}.new`; // a process may be killed over it
  writeFileSync(whole, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  try {
    if (known === undefined) linkSync(whole, file);
    else renameSync(whole, file); // over an empty one
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") renameSync(whole, file); // no links here; else another process was faster
  } finally {
    rmSync(whole, { force: true });
  }
  const made = readQuietly(file)?.trim();
  if (!made) throw new Error(`${file} holds no secret`);
  return made;
}
