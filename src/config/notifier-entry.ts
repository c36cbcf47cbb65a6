import * as z from "zod";
import { isObject } from "../core/json-value.ts";
import type { Notifier } from "../core/notifier.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import { didYouMean } from "../text/did-you-mean.ts";
import { check, type Report, variantFindings } from "./check.ts";
import type { ConfiguredNotifier, Route } from "./config.ts";
import { defaultKinds, defaultNotifiers } from "./defaults.ts";
import { plainNotifierSettings } from "./notifier-table.ts";
import { withoutSecrets } from "./secrets.ts";

/** Builds the schema of an entry of `notifiers`: its type, the notifier's own settings, and the common settings. */
export function notifierEntrySchema(type: string, { settings }: Notifier, common: z.ZodObject) {
  return z.strictObject({ ...settings.shape, type: z.literal(type), ...common.shape });
}

/** Loads an entry's common settings. Loads templates only if necessary: their schema is the slowest to build. */
async function loadCommonSettings(entry: unknown) {
  if (!isObject(entry) || !Object.hasOwn(entry, "templates")) return plainNotifierSettings;
  return (await import("./templates-table.ts")).commonNotifierSettings;
}

/** Reads an entry of `notifiers` and loads its notifier; undefined after an error. */
export async function readNotifierEntry(
  name: string,
  entry: unknown,
  report: Report,
): Promise<ConfiguredNotifier | undefined> {
  const types = Object.keys(notifierLoaders);
  const type = (entry as { type?: unknown } | null)?.type;
  const load = typeof type === "string" && Object.hasOwn(notifierLoaders, type) && notifierLoaders[type];
  if (!load) {
    const hint = typeof type === "string" ? didYouMean(type, types) : `It must be one of ${types.join(", ")}.`;
    report({ level: "error", path: ["notifiers", name, "type"], message: "must be a type of notifier", hint });
    return undefined;
  }
  const [notifier, commonSettings] = await Promise.all([load(), loadCommonSettings(entry)]);
  const { input, findings } = check(
    notifierEntrySchema(notifier.name, notifier, commonSettings),
    entry,
    ["notifiers", name],
    ([key]) => !Object.hasOwn(commonSettings.shape, String(key)),
  );
  report(...findings);
  if (!input) return undefined;
  const entered = input as Readonly<Record<string, unknown>>;
  const unclear = notifier.variants ? variantFindings(notifier.variants, entered, ["notifiers", name]) : [];
  report(...unclear);
  if (unclear.length > 0) return undefined;
  for (const [key, other] of Object.entries(notifier.usedOnlyWith ?? {})) {
    if (!Object.hasOwn(input, key) || Object.hasOwn(input, other)) continue;
    const message = `has no effect without \`${other}\``;
    const hint = `Add \`${other}\`, or remove \`${key}\`.`;
    report({ level: "warning", path: ["notifiers", name, key], message, hint });
  }
  const settings = Object.entries(input).filter(([key]) => Object.hasOwn(notifier.settings.shape, key));
  const { templates = {}, ...common } = commonSettings.parse(input);
  return { name, notifier, settings: Object.fromEntries(settings), templates, ...common };
}

/** Formats an entry of `notifiers` in the form of the file, with defaults and with `[secret]` for secrets. */
export function showNotifierEntry({ name: _, notifier, settings, templates, ...common }: ConfiguredNotifier): object {
  const shown = withoutSecrets(notifier.settings, withDefaults(notifier.settings, settings));
  const ownTemplates = Object.keys(templates).length > 0 ? { templates } : {};
  return { type: notifier.name, ...(shown as object), ...z.encode(plainNotifierSettings, common), ...ownTemplates };
}

/** Adds the defaults of missing settings, in the form of the file. */
function withDefaults({ shape }: z.ZodObject, settings: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(shape as Record<string, z.ZodType>).map(([key, schema]) => {
    if (Object.hasOwn(settings, key)) return [key, settings[key]];
    const { data } = schema.safeParse(undefined);
    return [key, data === undefined ? undefined : z.encode(schema, data)];
  });
  return omitUndefined(Object.fromEntries(entries));
}

/** Types of the default notifiers. */
const types: readonly string[] = Object.values(defaultNotifiers).map(({ type }) => type);

/** Adds the default notifiers as `default-desk` and so on, unless a usable notifier has one of their types. */
export async function withStandIns(usable: ReadonlyMap<string, ConfiguredNotifier>) {
  const notifiers = new Map(usable);
  if ([...usable.values()].some(({ notifier }) => types.includes(notifier.name))) return notifiers;
  for (const [name, entry] of Object.entries(defaultNotifiers)) {
    const configured = await readNotifierEntry(`default-${name}`, entry, () => {});
    if (configured) notifiers.set(configured.name, configured);
  }
  return notifiers;
}

/**
 * Finds the notifier that can change a message of the notifier `name`: the notifier itself or, if it was a stand-in and
 * the configuration has been corrected since, one of its type.
 */
export function findSender(name: string, notifiers: ReadonlyMap<string, ConfiguredNotifier>) {
  const standIn = Object.entries(defaultNotifiers).find(([usual]) => name === `default-${usual}`);
  return notifiers.get(name) ?? [...notifiers.values()].find(({ notifier }) => notifier.name === standIn?.[1].type);
}

/** Creates routes to notifiers of the default types, for the events of damaged routes, which must not be silenced. */
export function standInRoutes(
  orphaned: readonly Partial<Route>[],
  notifiers: ReadonlyMap<string, ConfiguredNotifier>,
): Route[] {
  const to = [...notifiers.values()].filter(({ notifier }) => types.includes(notifier.name)).map(({ name }) => name);
  return orphaned.flatMap((conditions) => {
    const kinds = defaultKinds.filter((kind) => conditions.kinds?.includes(kind) ?? true);
    return kinds.length > 0 ? [{ ...conditions, kinds, to }] : [];
  });
}
