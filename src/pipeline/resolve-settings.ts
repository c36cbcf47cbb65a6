import type * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { resolveReferences } from "../config/references.ts";
import { secretsIn } from "../config/secrets.ts";
import { ConfigError } from "../core/errors.ts";
import type { ExecPort } from "../core/ports.ts";

/**
 * A notifier's settings as its `send` takes them: references resolved, checked again.
 * @param keepSecret is told every secret among them before anything else can go wrong
 * @throws {ConfigError} naming the place, never what it holds
 */
export async function resolveSettings(
  { name, notifier, settings }: Pick<ConfiguredNotifier, "name" | "notifier" | "settings">,
  exec: ExecPort,
  keepSecret: (secrets: readonly string[]) => void,
): Promise<z.output<typeof notifier.settings>> {
  const place = `notifiers.${name}`;
  const resolved = await resolveReferences(settings, place, exec);
  keepSecret([...resolved.secrets, ...secretsIn(notifier.settings, resolved.value)]);
  const parsed = notifier.settings.safeParse(resolved.value);
  if (parsed.success) return parsed.data;
  const where = [place, ...(parsed.error.issues[0]?.path ?? [])].join(".");
  throw new ConfigError(where, `${where} is not usable once its reference is resolved`);
}
