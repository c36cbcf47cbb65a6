import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { resolveReferences } from "../config/references.ts";
import { secretsIn } from "../config/secrets.ts";
import { ConfigError } from "../core/errors.ts";
import type { ExecPort } from "../core/ports.ts";
import type { RunContext } from "./context.ts";

/**
 * Resolves the settings of a notifier or lookup: replaces references such as `${env:NAME}` by their values, then parses
 * the settings with their schema.
 * @param path path of the settings in the configuration file, for error messages
 * @param keepSecret called with every secret in the settings before anything else can fail
 * @throws {ConfigError} names the path, never the value
 */
export async function resolveSettings<Schema extends z.ZodType>(
  { schema, settings, path }: { readonly schema: Schema; readonly settings: unknown; readonly path: string },
  exec: ExecPort,
  keepSecret: RunContext["keepSecret"],
): Promise<z.output<Schema>> {
  const resolved = await resolveReferences(settings, path, exec);
  keepSecret([...resolved.secrets, ...secretsIn(schema, resolved.value)]);
  const read = z.safeParse(schema, resolved.value);
  if (read.success) return read.data;
  const where = [path, ...(read.error.issues[0]?.path ?? [])].join(".");
  throw new ConfigError(where, `${where} is not usable once its reference is resolved`);
}

/** Resolves the settings of an entry in `notifiers`. */
export function resolveNotifierSettings(
  { name, notifier, settings }: Pick<ConfiguredNotifier, "name" | "notifier" | "settings">,
  exec: ExecPort,
  keepSecret: RunContext["keepSecret"],
): Promise<z.output<typeof notifier.settings>> {
  return resolveSettings({ schema: notifier.settings, settings, path: `notifiers.${name}` }, exec, keepSecret);
}
