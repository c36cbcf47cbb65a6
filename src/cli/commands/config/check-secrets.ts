import { readFileSync } from "node:fs";
import type * as z from "zod";
import { readJsonc } from "../../../config/check.ts";
import type { Config, Finding } from "../../../config/config.ts";
import { secretsIn } from "../../../config/secrets.ts";
import { ConfigError } from "../../../core/errors.ts";
import { isLoopback } from "../../../core/http-port.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import type { ExecPort } from "../../../core/ports.ts";
import { quietly } from "../../../core/quietly.ts";
import { referencePattern } from "../../../core/secret.ts";
import { lookupLoaders } from "../../../lookups/registry.ts";
import { resolveSettings } from "../../../pipeline/within-budget.ts";
import { findPosition, type JsonPath, showPath } from "../../../text/jsonc.ts";

/** Part of the configuration, with the schema that marks its secrets. */
interface Part {
  readonly path: JsonPath;
  readonly schema: z.ZodType;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Resolves the references of all notifiers and lookups. Lists the references that fail, and secrets in plain text.
 * @param file path of the configuration, for the positions
 */
export async function findSecretProblems(config: Config, file: string, exec: ExecPort): Promise<readonly Finding[]> {
  const parts = [...notifierParts(config), ...(await lookupParts(config))];
  const found = parts.map(async (part) => [...plainSecrets(part), ...(await failedReferences(part, exec))]);
  const text = quietly(() => readFileSync(file, "utf8")) ?? ""; // without a file, the defaults apply
  const { tree } = readJsonc(text);
  return (await Promise.all(found)).flat().map(({ at, ...finding }) => ({
    ...finding,
    path: showPath(at),
    ...findPosition(text, tree, at),
  }));
}

type Problem = Omit<Finding, "path"> & { readonly at: JsonPath };

function notifierParts({ notifiers }: Config): Part[] {
  return [...notifiers.values()].map(({ name, notifier, settings }) => ({
    path: ["notifiers", name],
    schema: notifier.settings,
    settings,
  }));
}

async function lookupParts({ lookupSettings, lookupProfiles }: Config): Promise<Part[]> {
  const names = Object.keys({ ...lookupSettings, ...lookupProfiles });
  const parts = names.map(async (name): Promise<Part[]> => {
    const { settings: schema, profile: profileSchema } = (await lookupLoaders[name]?.()) ?? {};
    if (!schema) return [];
    const own = { path: [name], schema, settings: lookupSettings[name] as Part["settings"] };
    const profiles = Object.entries(lookupProfiles[name] ?? {}).map(([profile, settings]) => ({
      path: [name, "profiles", profile],
      schema: profileSchema ?? schema,
      settings: settings as Part["settings"],
    }));
    return [...(own.settings ? [own] : []), ...profiles];
  });
  return (await Promise.all(parts)).flat();
}

function plainSecrets({ path, schema, settings }: Part): Problem[] {
  // An address on this machine is not secret.
  const isLocal = (text: string): boolean => URL.canParse(text) && isLoopback(new URL(text).hostname);
  const isPlain = (text: string): boolean => !referencePattern.test(text) && !isLocal(text);
  const keys = Object.keys(settings).filter((key) => secretsIn(schema, { [key]: settings[key] }).some(isPlain));
  return keys.map((key) => ({
    level: "warning",
    at: [...path, key],
    message: "is a secret in plain text",
    hint: `Move it to a file that only you can read, and use "\${file:~/.secrets/${String(path.at(-1))}}" here.`,
  }));
}

async function failedReferences({ path, schema, settings }: Part, exec: ExecPort): Promise<Problem[]> {
  const shown = showPath(path);
  try {
    await resolveSettings({ schema, settings, path: shown }, exec, () => {});
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [key] = error.path.slice(shown.length).match(/[^.[\]]+/) ?? [];
    const at = key === undefined ? path : [...path, key];
    const [, message = ""] = /^(?:\S+: )?(.*)$/s.exec(error.message) ?? [];
    // The variable may be set in the environment of the agent that starts the worker.
    const isOfShell = message.startsWith("${env:");
    const where = isOfShell ? " in this shell" : "";
    const { hint } = error;
    const level = isOfShell ? "warning" : "error";
    return [{ level, at, message: message + where, ...omitUndefined({ hint }) }];
  }
}
