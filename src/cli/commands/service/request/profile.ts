import { type Config, showFinding } from "../../../../config/config.ts";
import { CommandError, UsageError } from "../../../../core/errors.ts";
import type { ServiceSettings } from "../../../../service/settings.ts";
import { showPath } from "../../../../text/jsonc.ts";

/** Settings of the service in the configuration, with unresolved references. */
export type Settings = Partial<ServiceSettings>;

/** Settings of a profile, by their source. */
interface ProfileSettings {
  readonly own: Settings;
  /** Settings inherited from `service`. */
  readonly inherited: Settings;
}

/** Returns the path of a profile in the configuration. */
export function profilePath(name: string): string {
  return showPath(["service", "profiles", name]);
}

/**
 * Reads the settings of a profile. Missing settings are inherited from `service`. A key is sent only to the addresses
 * that it was configured with. Therefore a profile with an address of its own inherits no key, and a profile with a
 * `baseUrl` of its own inherits no `appUrl`.
 * @throws {UsageError} for an unknown name; the hint lists the known names
 * @throws {CommandError} for an error in the profile or the file
 */
export function profileSettings(name: string, config: Config, file: string): ProfileSettings {
  const profiles = (config.lookupProfiles["service"] ?? {}) as Readonly<Record<string, Settings>>;
  const own = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (own === undefined) throw notUsable(name, config, file);
  const { baseUrl, appUrl, apiKey, ca }: Settings = config.lookupSettings["service"] ?? {};
  const hasAddress = own.baseUrl !== undefined || own.appUrl !== undefined;
  const all = { baseUrl, ca, ...(own.baseUrl === undefined && { appUrl }), ...(!hasAddress && { apiKey }) };
  const inherited = Object.entries(all).filter(([key, value]) => value !== undefined && !Object.hasOwn(own, key));
  return { own, inherited: Object.fromEntries(inherited) };
}

function notUsable(name: string, config: Config, file: string): Error {
  const errors = config.findings.filter(({ level }) => level === "error");
  const isWhole = ({ path }: { readonly path: string }) => ["", "service", "service.profiles"].includes(path);
  const wrong =
    errors.find(({ path }) => path === profilePath(name) || path.startsWith(`${profilePath(name)}.`)) ??
    errors.find(isWhole);
  if (wrong !== undefined) {
    return new CommandError(`the profile ${name} cannot be used: ${showFinding(wrong)}`, `Correct it in ${file}.`);
  }
  const known = Object.keys(config.lookupProfiles["service"] ?? {});
  const hint = known.length > 0 ? `Known profiles: ${known.join(", ")}.` : `Add it as \`service.profiles\` in ${file}.`;
  return new UsageError(`there is no profile ${name}`, hint);
}
