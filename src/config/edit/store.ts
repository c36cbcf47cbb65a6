import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { CommandError } from "../../core/errors.ts";
import type { Notifier } from "../../core/notifier.ts";
import { isPrivate, referencePattern } from "../../core/secret.ts";
import { makePrivateFolder, writePrivateFile } from "../../files/atomic-file.ts";
import { withLock } from "../../files/lock.ts";
import { findUp, homeDirectory, type Paths } from "../../files/paths.ts";
import { readSettingsFile } from "../../installer/files/read-settings-file.ts";
import { replaceSettingsFile } from "../../installer/files/replace-settings-file.ts";
import { createClock } from "../../io/clock.ts";
import { loadConfig } from "../load.ts";
import { parseText } from "./edit-config.ts";

/** Settings of a notifier, as entered by the user. */
type Settings = Readonly<Record<string, unknown>>;

const maxConfigBytes = 1024 * 1024;

/** Moves secrets and hidden names from settings to private files. Returns the files with texts, which the caller writes. */
export function extractSecrets(
  name: string,
  { settings: { shape } }: Notifier,
  settings: Settings,
  paths: Paths,
): { readonly settings: Settings; readonly files: readonly { readonly file: string; readonly text: string }[] } {
  const files: { file: string; text: string }[] = [];
  const entries = Object.entries(settings).map(([key, value]) => {
    const schema = shape[key] as z.ZodType | undefined; // undefined for settings common to all notifiers
    if (!schema || !isPrivate(schema) || typeof value !== "string" || referencePattern.test(value)) return [key, value];
    const file = join(paths.root, "secrets", `${name}-${key}`);
    files.push({ file, text: value });
    const home = `${homeDirectory()}/`;
    return [key, `\${file:${file.startsWith(home) ? `~/${file.slice(home.length)}` : file}}`];
  });
  return { settings: Object.fromEntries(entries), files };
}

/** Checks that the configuration can be edited. @throws {CommandError | SettingsError} like `editConfig` */
export async function assertStorable(paths: Paths): Promise<void> {
  const { bytes } = await readSettingsFile(paths.config, maxConfigBytes);
  if (bytes) parseText(decodeText(bytes), paths.config);
}

/**
 * Edits the configuration, or the starter configuration if it is missing. Keeps comments, layout, file mode and
 * symbolic links.
 * @param prepare runs with the new text before it is written
 * @throws {CommandError | SettingsError} if the configuration cannot be read or written; it stays unchanged
 */
export async function editConfig(
  paths: Paths,
  change: (text: string) => string,
  prepare: (after: string) => Promise<void> = async () => {},
): Promise<void> {
  makePrivateFolder(paths.state);
  const waiting = { clock: createClock(), waitMs: 5_000, who: "another change of the configuration" };
  await withLock(join(paths.state, "config.lock"), waiting, async () => {
    const snapshot = await readSettingsFile(paths.config, maxConfigBytes);
    const after = change(decodeText(snapshot.bytes ?? readTemplate("config.jsonc")));
    await prepare(after);
    if (snapshot.bytes === undefined) writePrivateFile(paths.config, after);
    else await replaceSettingsFile(snapshot, Buffer.from(after));
    await loadConfig(paths.config, { isKept: true });
    if (!existsSync(paths.configSchema)) writePrivateFile(paths.configSchema, readTemplate("config.schema.json"));
  });
}

function decodeText(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

/** Reads a file in `templates/`. @throws {CommandError} if it is missing */
export function readTemplate(name: string): Buffer {
  const file = findUp(import.meta.url, `templates/${name}`);
  if (file !== undefined) return readFileSync(file);
  throw new CommandError(`beckon's template ${name} is missing`, "To install it again: beckon install");
}
