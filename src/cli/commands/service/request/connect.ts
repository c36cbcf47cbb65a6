import type { Config } from "../../../../config/config.ts";
import { loadConfig } from "../../../../config/load.ts";
import { resolveReferences } from "../../../../config/references.ts";
import { showFinding } from "../../../../config/show-finding.ts";
import { ConfigError } from "../../../../core/errors.ts";
import type { ExecPort } from "../../../../core/ports.ts";
import type { Credentials } from "../../../../service/client.ts";
import type { ServiceSettings } from "../../../../service/settings.ts";
import type { CliContext } from "../../../context.ts";
import { CommandError } from "../../../errors.ts";

export type Access = Credentials & { readonly baseUrl: string; readonly appUrl?: string | undefined };
type Given = Partial<ServiceSettings>;

/** Where a setting comes from besides the configuration. */
export const variables = {
  baseUrl: "BECKON_BASE_URL",
  appUrl: "BECKON_APP_URL",
  apiKey: "BECKON_API_KEY",
  jwt: "BECKON_JWT",
} as const;

/**
 * Addresses and key of the service: each from its variable of the environment, else from `service` in the
 * configuration. Only what is used is resolved. The configuration's key goes to the configuration's addresses alone:
 * a variable cannot lead it elsewhere.
 * @throws {CommandError} that says what to set
 */
export async function findAccess({ paths, place }: CliContext, exec: ExecPort): Promise<Access> {
  const { jwt, ...given } = fromEnvironment(place.env);
  const config = await loadConfig(paths.config);
  const { apiKey: keyInFile, ...inFile }: Given = config.lookupSettings["service"] ?? {};
  const addresses = await resolve(inFile, exec);
  const { baseUrl, appUrl } = { ...addresses, ...given };
  if (baseUrl === undefined) throw notSet(config, paths.config, "baseUrl");
  if (given.apiKey !== undefined) return { baseUrl, appUrl, apiKey: given.apiKey };
  if (jwt !== undefined) return { baseUrl, appUrl, jwt };
  if (keyInFile === undefined) throw notSet(config, paths.config, "apiKey");
  checkSameOrigin(given, addresses);
  const { apiKey = "" } = await resolve({ apiKey: keyInFile }, exec);
  return { baseUrl, appUrl, apiKey };
}

function fromEnvironment(env: NodeJS.ProcessEnv): Given & { jwt?: string } {
  const set = Object.entries(variables).flatMap(([name, variable]) => (env[variable] ? [[name, env[variable]]] : []));
  return Object.fromEntries(set);
}

async function resolve(settings: object, exec: ExecPort): Promise<Given> {
  try {
    return (await resolveReferences(settings, "service", exec)).value as Given;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isVariable = error.message.includes("${env:");
    const hint = isVariable ? "Export it in this shell." : (error.hint ?? "Mend it in the configuration.");
    throw new CommandError(error.message, hint);
  }
}

/** What the configuration has instead is left out where it is wrong. */
function notSet({ findings }: Config, file: string, name: "baseUrl" | "apiKey"): CommandError {
  const wrong = findings.find(({ level, path }) => level === "error" && /^(service\b|$)/.test(path));
  if (wrong !== undefined) {
    const hint = `Mend it in ${file}, or set ${variables.baseUrl} and ${variables.apiKey}.`;
    return new CommandError(`the service is not usable as configured: ${showFinding(wrong)}`, hint);
  }
  const what = name === "baseUrl" ? "the service's address is not known" : "there is no key for the service";
  return new CommandError(what, `Set ${variables[name]}, or \`service.${name}\` in ${file}.`);
}

function checkSameOrigin(given: Given, inFile: Given): void {
  const own = [inFile.baseUrl, inFile.appUrl].map(originOf);
  for (const name of ["baseUrl", "appUrl"] as const) {
    if (given[name] === undefined || own.includes(originOf(given[name]))) continue;
    throw new CommandError(
      `${variables[name]} is none of the configuration's addresses, and its key is for those alone`,
      `Set ${variables.apiKey} as well, or unset ${variables[name]}.`,
    );
  }
}

function originOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : address;
}
