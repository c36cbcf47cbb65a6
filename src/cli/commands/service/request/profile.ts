import { type Config, showFinding } from "../../../../config/config.ts";
import { CommandError, UsageError } from "../../../../core/errors.ts";
import type { ServiceSettings } from "../../../../service/settings.ts";
import { showPath } from "../../../../text/jsonc.ts";

/** Settings of the service as in the configuration: references unresolved. */
export type Settings = Partial<ServiceSettings>;

/** A profile's settings, by where they are in the configuration. */
interface ProfileSettings {
  readonly own: Settings;
  /** What it takes from `service`. */
  readonly inherited: Settings;
}

/** Where a profile is in the configuration. */
export function profilePath(name: string): string {
  return showPath(["service", "profiles", name]);
}

/**
 * The settings of a profile. What it leaves out it takes from `service`; but a key goes only to the addresses it stands
 * with, so that a profile with an address of its own takes no key, and one with a `baseUrl` of its own no `appUrl`.
 * @throws {UsageError} for an unknown name, with the known ones
 * @throws {CommandError} for a profile, or a file, with an error
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
  const hint =
    known.length > 0 ? `The profiles are ${known.join(", ")}.` : `Add it as \`service.profiles\` in ${file}.`;
  return new UsageError(`there is no profile ${name}`, hint);
}
