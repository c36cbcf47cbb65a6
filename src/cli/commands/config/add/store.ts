import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { findUp } from "../../../../core/find-up.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import type { Paths } from "../../../../core/paths.ts";
import { isSecret, referencePattern } from "../../../../core/secret.ts";
import { writePrivateFile } from "../../../../io/private-file.ts";
import { replaceSettingsFile } from "../../../../installer/files/replace-settings-file.ts";
import { readSettingsFile } from "../../../../installer/files/read-settings-file.ts";
import type { Settings } from "./ask.ts";
import { addNotifier, assertReadable, type NewNotifier } from "./edit-config.ts";

const maxBytes = 1024 * 1024;

/** A secret on its way into a file of its own. */
interface Kept {
  readonly file: string;
  readonly text: string;
}

/** Settings with every secret text replaced by a reference to a private file that is yet to be written. */
export function keepSecrets(
  name: string,
  { settings: { shape } }: Notifier,
  settings: Settings,
  paths: Paths,
): { readonly settings: Settings; readonly files: readonly Kept[] } {
  const files: Kept[] = [];
  const entries = Object.entries(settings).map(([key, value]) => {
    const schema = shape[key] as z.ZodType | undefined; // none for what every notifier takes
    if (!schema || !isSecret(schema) || typeof value !== "string" || referencePattern.test(value)) return [key, value];
    const file = join(paths.root, "secrets", `${name}-${key}`);
    files.push({ file, text: value });
    return [key, `\${file:${file}}`];
  });
  return { settings: Object.fromEntries(entries), files };
}

/** @throws {CommandError} {SettingsError} where `store` would, before anybody was asked or told anything */
export async function assertStorable(paths: Paths): Promise<void> {
  const { bytes } = await readSettingsFile(paths.config, maxBytes);
  if (bytes) assertReadable(bytes.toString("utf8").replace(/^\ufeff/, ""), paths.config);
}

/**
 * Writes the secrets, each into a private file, and then the notifier into the configuration, whose comments, layout,
 * mode and links stay.
 * @throws {CommandError} {SettingsError} where the configuration cannot be read or written; it is untouched then
 */
export async function store(added: NewNotifier, files: readonly Kept[], paths: Paths): Promise<void> {
  const snapshot = await readSettingsFile(paths.config, maxBytes);
  const text = snapshot.bytes?.toString("utf8") ?? starter();
  const after = Buffer.from(addNotifier(text.replace(/^\ufeff/, ""), paths.config, added));
  for (const { file, text: secret } of files) await writePrivateFile(file, secret);
  if (snapshot.bytes === undefined) await writePrivateFile(paths.config, after);
  else await replaceSettingsFile({ snapshot, after, beforeRename: async () => undefined });
  if (!existsSync(paths.configSchema)) await writePrivateFile(paths.configSchema, template("config.schema.json"));
}

function starter(): string {
  return template("config.jsonc");
}

function template(name: string): string {
  const file = findUp(import.meta.url, `templates/${name}`);
  return file === undefined ? "{}\n" : readFileSync(file, "utf8");
}
