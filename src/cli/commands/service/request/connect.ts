import { type Config, showFinding } from "../../../../config/config.ts";
import { loadConfig } from "../../../../config/load.ts";
import { resolveReferences } from "../../../../config/references.ts";
import { CommandError, ConfigError, UsageError } from "../../../../core/errors.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import type { ExecPort } from "../../../../core/ports.ts";
import { createExec } from "../../../../io/exec.ts";
import type { ClientOptions } from "../../../../service/client.ts";
import { ArgumentError } from "../../../../service/error.ts";
import { logHooks, type SentResult } from "../../../../service/exchange.ts";
import type { ServiceSettings } from "../../../../service/profile.ts";
import { ServiceClient } from "../../../../service.ts";
import { showPath } from "../../../../text/jsonc.ts";
import type { CliContext } from "../../../context.ts";

/** Options for the connection to the service. */
export interface ConnectOptions {
  /** True logs every request and reply to standard error, as BECKON_LOG=1 does. */
  readonly verbose?: boolean | undefined;
  /** Name of a profile in the configuration. With a profile, environment variables are ignored. */
  readonly profile?: string | undefined;
  /** Maximum number of requests at once; default: the client's. */
  readonly maxConcurrency?: number | undefined;
  /** Called after each attempt, unless requests are logged. */
  readonly onResponse?: ((result: SentResult) => void) | undefined;
}

/** Environment variables that override the configuration. */
export const variables = {
  baseUrl: "BECKON_BASE_URL",
  appUrl: "BECKON_APP_URL",
  apiKey: "BECKON_API_KEY",
  jwt: "BECKON_JWT",
} as const;

/**
 * Creates a client with the addresses and key of a profile, or else of environment variables and the configuration.
 * Also tells if the address of the web application is set.
 * @throws {UsageError | CommandError} for a missing or invalid profile or setting
 */
export async function connect(context: CliContext, { verbose, profile, ...own }: ConnectOptions) {
  const exec = createExec(context.environment.env);
  const access = await (profile === undefined ? findAccess(context, exec) : profileAccess(profile, context, exec));
  try {
    const log =
      verbose || context.environment.env["BECKON_LOG"] ? logHooks(context.printError) : { onResponse: own.onResponse };
    const tuning = omitUndefined({ now: context.now, sleep: context.sleep, maxConcurrency: own.maxConcurrency });
    return { client: new ServiceClient({ ...access, ...log, ...tuning }), hasAppUrl: access.appUrl !== undefined };
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const name = error.parameter as keyof typeof variables;
    const source = `It comes from ${describeSource(name, profile)} in ${context.paths.config}.`;
    throw new CommandError(error.message, [error.hint, source].filter(Boolean).join(" "));
  }
}

/**
 * Names the places for a setting: an environment variable or the configuration; for a profile, only the configuration.
 */
export function describeSource(name: keyof typeof variables, profile: string | undefined): string {
  return profile === undefined
    ? `${variables[name]}, or \`service.${name}\``
    : `\`${profilePath(profile)}.${name}\`, or \`service.${name}\``;
}

/**
 * Reads each setting from its environment variable, or else from `service` in the configuration. Resolves only the
 * references that are needed. The configured key is sent only to the configured addresses, so that a variable cannot
 * redirect it.
 */
async function findAccess({ paths, environment: { env } }: CliContext, exec: ExecPort): Promise<ClientOptions> {
  const set = Object.entries(variables).flatMap(([name, variable]) => (env[variable] ? [[name, env[variable]]] : []));
  const { jwt, ...fromEnvironment }: Settings & { jwt?: string } = Object.fromEntries(set);
  const config = await loadConfig(paths.config);
  const { apiKey: configuredKey, ...configured }: Settings = config.lookupSettings["service"] ?? {};
  const addresses = await resolve(configured, exec);
  const { baseUrl, appUrl, ca } = { ...addresses, ...fromEnvironment };
  if (baseUrl === undefined) throw notSet(config, paths.config, "baseUrl");
  if (fromEnvironment.apiKey !== undefined) return { baseUrl, appUrl, ca, apiKey: fromEnvironment.apiKey };
  if (jwt !== undefined) return { baseUrl, appUrl, ca, jwt };
  if (configuredKey === undefined) throw notSet(config, paths.config, "apiKey");
  checkSameOrigin(fromEnvironment, addresses);
  const { apiKey = "" } = await resolve({ apiKey: configuredKey }, exec);
  return { baseUrl, appUrl, ca, apiKey };
}

/** Reads a profile's settings. Resolves only the references that the profile uses. */
async function profileAccess(profile: string, { paths }: CliContext, exec: ExecPort): Promise<ClientOptions> {
  const config = await loadConfig(paths.config);
  const { own, inherited } = profileSettings(profile, config, paths.config);
  const { baseUrl, apiKey, ...others } = {
    ...(await resolve(inherited, exec)),
    ...(await resolve(own, exec, profilePath(profile))),
  };
  const missing = baseUrl === undefined ? "baseUrl" : "apiKey";
  if (baseUrl !== undefined && apiKey !== undefined) return { ...others, baseUrl, apiKey };
  const what = `the profile ${profile} has no ${missing}`;
  throw new CommandError(what, `Set \`${profilePath(profile)}.${missing}\` in ${paths.config}.`);
}

async function resolve(settings: object, exec: ExecPort, path = "service"): Promise<Settings> {
  try {
    return (await resolveReferences(settings, path, exec)).value as Settings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isVariable = error.message.includes("${env:");
    const hint = isVariable ? "Export it in this shell." : (error.hint ?? "Correct it in the configuration.");
    throw new CommandError(error.message, hint);
  }
}

/** Creates the error for a missing setting, or for the invalid configuration that causes it. */
function notSet({ findings }: Config, file: string, name: "baseUrl" | "apiKey"): CommandError {
  const wrong = findings.find(({ level, path }) => level === "error" && /^(service\b|$)/.test(path));
  if (wrong !== undefined) {
    const hint = `Correct it in ${file}, or set ${variables.baseUrl} and ${variables.apiKey}.`;
    return new CommandError(`the configuration of the service is invalid: ${showFinding(wrong)}`, hint);
  }
  const what = name === "baseUrl" ? "the service's address is not set" : "the service's API key is not set";
  return new CommandError(what, `Set ${variables[name]}, or \`service.${name}\` in ${file}.`);
}

function checkSameOrigin(fromEnvironment: Settings, configured: Settings): void {
  const origins = [configured.baseUrl, configured.appUrl].map(parseOrigin);
  for (const name of ["baseUrl", "appUrl"] as const) {
    const address = fromEnvironment[name];
    if (address === undefined || origins.includes(parseOrigin(address))) continue;
    throw new CommandError(
      `the configured key is only sent to the configured addresses, and ${variables[name]} is not one of them`,
      `Set ${variables.apiKey} as well, or unset ${variables[name]}.`,
    );
  }
}

function parseOrigin(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : address;
}

/** Settings of the service in the configuration, with unresolved references. */
type Settings = Partial<ServiceSettings>;

/** Returns the path of a profile in the configuration. */
function profilePath(name: string): string {
  return showPath(["service", "profiles", name]);
}

/**
 * Reads the settings of a profile, and those that it lacks and inherits from `service`. A key is sent only to the addresses
 * that it was configured with. Therefore a profile with an address of its own inherits no key, and a profile with a
 * `baseUrl` of its own inherits no `appUrl`.
 * @throws {UsageError} for an unknown name; the hint lists the known names
 * @throws {CommandError} for an error in the profile or the file
 */
function profileSettings(name: string, config: Config, file: string) {
  const profiles = (config.lookupProfiles["service"] ?? {}) as Readonly<Record<string, Settings>>;
  const own = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (own === undefined) throw notUsable(name, config, file);
  const { baseUrl, appUrl, apiKey, ca }: Settings = config.lookupSettings["service"] ?? {};
  const hasAddress = own.baseUrl !== undefined || own.appUrl !== undefined;
  const all = { baseUrl, ca, ...(own.baseUrl === undefined && { appUrl }), ...(!hasAddress && { apiKey }) };
  const inherited = Object.entries(all).filter(([key, value]) => value !== undefined && !Object.hasOwn(own, key));
  return { own, inherited: Object.fromEntries(inherited) as Settings };
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
