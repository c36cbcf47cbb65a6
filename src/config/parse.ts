import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { isObject, type JsonObject } from "../core/json-value.ts";
import { eventNames } from "../core/vocabulary.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { correctTypo, didYouMean } from "../text/did-you-mean.ts";
import { findPosition, showPath } from "../text/jsonc.ts";
import { listUsers } from "./answer-rights.ts";
import type { AnswerSettings } from "./answers-table.ts";
import { languages } from "./catalogues.ts";
import { check, globFindings, type RawFinding, type Report, readJsonc, readWhole, reportUnknown } from "./check.ts";
import { type Config, type ConfiguredNotifier, type Finding, type Route, takesRequests } from "./config.ts";
import type { SectionValues, SettingName } from "./config-table.ts";
import { attentionDefaults, defaultKinds, defaultNotifiers, deliveryDefaults } from "./defaults.ts";
import { lookupsSchema, readLookupSection } from "./lookup-section.ts";
import { readNotifierEntry, standInRoutes, withStandIns } from "./notifier-entry.ts";
import { notifiersSchema } from "./notifier-table.ts";

/**
 * Parses a configuration. Invalid parts are left out, with a finding for each.
 * @param text text of the file; undefined for the defaults
 */
export async function parseConfig(text: string | undefined): Promise<Config> {
  const source = text ?? "{}";
  const { value, tree, finding } = readJsonc(source);
  const raw: RawFinding[] = [];
  if (!isObject(value) && !finding) {
    const hint = "For a file to start from: beckon config init";
    raw.push({ level: "error", path: [], message: "the configuration must be an object", hint });
  }
  const isWhole = isObject(value) && !finding;
  const file = isObject(value) ? value : {};
  const config = await readSettings(file, isWhole, (...findings) => raw.push(...findings));
  const locate = (finding: RawFinding): Finding => ({
    ...finding,
    path: showPath(finding.path),
    ...(text !== undefined && findPosition(source, tree, finding.path)),
  });
  return { ...config, findings: [...(finding ? [finding] : []), ...raw.map(locate)] };
}

/**
 * Reads the settings.
 * @param isWhole false if only a part of the text could be parsed
 */
async function readSettings(file: JsonObject, isWhole: boolean, report: Report): Promise<Omit<Config, "findings">> {
  const known = [...readApart, ...Object.keys(sectionSchemas), ...Object.keys(lookupLoaders)];
  reportUnknown(file, known, { attention: attentionDefaults, delivery: deliveryDefaults }, report);
  const own = await readNotifiers(file["notifiers"], report);
  const { notifiers: written = defaultNotifiers } = file;
  const declared = isObject(written) ? Object.keys(written) : [];
  const { routes, orphaned } = await readRoutes(file["routes"], [...own.keys()], declared, report);
  const isReadable = isWhole && isObject(file["notifiers"] ?? {});
  const stoodFor = isReadable ? orphaned : [...orphaned, {}];
  const notifiers = stoodFor.length > 0 ? await withStandIns(own) : own;
  const lookups = await readLookups(file, report);
  const { answers, ...sections } = await readSections(file, report);
  return {
    notifiers,
    disabled: declared.filter((name) => !own.has(name)),
    routes,
    standInRoutes: standInRoutes(stoodFor, notifiers),
    hasRoutes: file["routes"] !== undefined,
    ...lookups,
    ...sections,
    // A part of a broken file may allow more than the whole file.
    answers: isWhole ? await checkAnswers(answers, notifiers, report) : undefined,
  };
}

/**
 * Returns the settings for answers. Reports an error and returns undefined if they name a notifier that cannot carry
 * answers.
 */
async function checkAnswers(
  answers: AnswerSettings | undefined,
  notifiers: ReadonlyMap<string, ConfiguredNotifier>,
  report: Report,
): Promise<AnswerSettings | undefined> {
  const found = Object.keys(answers?.from ?? {}).flatMap((name): RawFinding[] => {
    const message = explainWithoutAnswers(notifiers.get(name), listUsers(answers, name));
    return message === undefined ? [] : [{ level: "error", path: ["answers", "from", name], message }];
  });
  report(...found, ...globFindings(answers?.projects, ["answers", "projects"]));
  const problem = answers && (await import("./answers-table.ts")).explainAlways(answers);
  if (problem !== undefined) report({ level: "warning", path: ["answers", "when"], message: problem });
  return found.length > 0 ? undefined : answers;
}

/** Explains why a notifier cannot carry answers; undefined if it can. @param users people who may answer with it */
function explainWithoutAnswers(configured: ConfiguredNotifier | undefined, users: readonly number[] | undefined) {
  if (!configured) return "there is no such notifier";
  const { answers } = configured.notifier.lifecycle ?? {};
  if (!answers) return "its messages cannot have buttons for answers";
  if (answers.reader && !users)
    return 'must name the people who may answer, by their numeric ids: { "users": [123456789] }';
  if (!answers.reader && users) return "must not have `users`, because this notifier does not identify people";
  return (configured.detail ?? "full") === "full" ? undefined : "its `detail` hides the request";
}

/** Settings that have readers of their own. */
const readApart = ["notifiers", "routes", "lookups"] satisfies SettingName[];

async function readSections(file: JsonObject, report: Report): Promise<SectionValues> {
  const values: Record<string, unknown> = { ...defaultValues };
  const read = await readItems(file, report);
  for (const name of Object.keys(sectionSchemas) as SectionName[]) {
    if (read[name] !== undefined) values[name] = await readSection(name, read[name], report);
  }
  return values as unknown as SectionValues;
}

/**
 * Reads a setting with its schema. An invalid setting gets its default, and an invalid member is left out. After any
 * finding in `answers`, the whole section gets its default.
 */
async function readSection(name: SectionName, value: unknown, report: Report): Promise<unknown> {
  const schema = await sectionSchemas[name]();
  const { value: read, findings } = check(schema, value, [name]);
  report(...findings);
  // Without the faulty member, the settings for answers might allow more than intended.
  if (name === "answers" && findings.length > 0) {
    report({ level: "error", path: [name], message: "off until this is corrected" });
    return defaultValues[name];
  }
  const wrong = new Set(findings.filter(({ level }) => level === "error").map(({ path }) => path[1]));
  if (wrong.size === 0) return read;
  if (!isObject(value)) return defaultValues[name];
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)));
  return check(schema, rest, [name]).value ?? defaultValues[name];
}

async function readNotifiers(value: unknown, report: Report): Promise<Map<string, ConfiguredNotifier>> {
  const notifiers = new Map<string, ConfiguredNotifier>();
  const entries = readWhole(notifiersSchema, value, ["notifiers"], report);
  for (const [name, entry] of Object.entries(entries ?? {})) {
    const configured = await readNotifierEntry(name, entry, report);
    if (configured) notifiers.set(name, configured);
  }
  return notifiers;
}

async function readLookups(file: JsonObject, report: Report) {
  const names = Object.keys(lookupLoaders);
  const byDefault = names.filter((name) => name === "transcript" || file[name] !== undefined);
  const lookups = readWhole(lookupsSchema, file["lookups"], ["lookups"], report) ?? byDefault;
  const lookupSettings: Record<string, unknown> = {};
  const lookupProfiles: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const name of names.filter((name) => file[name] !== undefined)) {
    const lookup = await lookupLoaders[name]?.();
    if (!lookup?.settings) continue;
    const { settings, profiles } = readLookupSection(lookup, file[name], report);
    if (settings) lookupSettings[name] = settings;
    if (profiles) lookupProfiles[name] = profiles;
  }
  return { lookups, lookupSettings, lookupProfiles };
}

/** Removes invalid items from the lists in `itemSchemas`, with a finding for each. Keeps everything else. */
async function readItems(file: JsonObject, report: Report): Promise<JsonObject> {
  const read: Record<string, unknown> = { ...file };
  for (const { section, list, load } of itemSchemas) {
    const value = file[section];
    const items = isObject(value) ? value[list] : undefined;
    if (!isObject(value) || !Array.isArray(items)) continue;
    const schemaFor = await load();
    const valid = items.flatMap((entry: unknown, index) => {
      const { input, findings } = check(schemaFor(entry), entry, [section, list, index]);
      report(...findings);
      return input === undefined ? [] : [input];
    });
    read[section] = { ...value, [list]: valid };
  }
  return read;
}

/** Setting that is read with its schema alone. */
export type SectionName = keyof SectionValues;

/** Schemas of the settings that are read with their schema alone, each loaded only if the file has the setting. */
export const sectionSchemas: { readonly [Name in SectionName]: () => Promise<z.ZodType> } = {
  $schema: async () => z.string(),
  templates: async () => (await import("./templates-table.ts")).templatesSchema,
  language: async () => z.enum(languages),
  attention: async () => (await import("./attention-table.ts")).attentionSchema,
  limits: async () => (await import("./attention-table.ts")).limitsSchema,
  delivery: async () => (await import("./delivery-table.ts")).deliverySchema,
  answers: async () => (await import("./answers-table.ts")).answersSchema,
  relay: async () => (await import("./relay-table.ts")).relaySchema,
};

/** Values of these settings if the file leaves them out. Most files need no schema then. */
export const defaultValues: SectionValues = {
  $schema: undefined,
  templates: {},
  language: "en",
  attention: attentionDefaults,
  limits: undefined,
  delivery: deliveryDefaults,
  answers: undefined,
  relay: undefined,
};

/** Lists in which invalid items are left out one by one, with the schemas of their items. */
const itemSchemas: readonly {
  readonly section: SectionName;
  readonly list: string;
  readonly load: () => Promise<(item: unknown) => z.ZodType>;
}[] = [
  {
    section: "attention",
    list: "quiet",
    load: async () => (await import("./attention-table.ts")).chooseQuietSchema,
  },
  { section: "relay", list: "from", load: async () => (await import("./relay-table.ts")).chooseRelaySourceSchema },
];

/**
 * Reads `routes`. Without routes, all usable notifiers get all kinds but `info`.
 * @param usable names of the notifiers without an error
 * @param declared names of all notifiers
 * @returns valid routes, with their usable notifiers; and the conditions of routes that an error left without a
 * notifier, where `{}` stands for unreadable conditions
 */
async function readRoutes(value: unknown, usable: readonly string[], declared: readonly string[], report: Report) {
  if (value === undefined) {
    const route: Route = { kinds: [...defaultKinds], to: [...usable] };
    return { routes: [route], orphaned: usable.length === 0 && declared.length > 0 ? [route] : [] };
  }
  const entries = readWhole(z.array(z.unknown()), value, ["routes"], report);
  if (!entries) return { routes: [], orphaned: [{}] };
  const { routeSchemaFor } = await import("./route-table.ts");
  const read = entries.map((entry, index) => readRoute(routeSchemaFor(entry), entry, index, report));
  const routes = read.filter((route) => route !== undefined);
  read.forEach((route, index) => {
    route?.to.forEach((name, position) => {
      if (declared.includes(name)) return;
      const path = ["routes", index, "to", position];
      const message = "must be the name of a notifier";
      report({ level: "error", path, message, hint: didYouMean(name, declared) });
    });
  });
  const usableRoutes = routes.map((route) => ({ ...route, to: route.to.filter((name) => usable.includes(name)) }));
  const orphaned = [...usableRoutes.filter(({ to }) => to.length === 0), ...(routes.length < read.length ? [{}] : [])];
  if (routes.length > 0 && orphaned.length === 0 && !takesRequests(usableRoutes))
    report({ level: "warning", path: ["routes"], message: "none takes needs-you, so requests only reach the journal" });
  return { routes: usableRoutes, orphaned };
}

/** Reads a route. Undefined if a condition is invalid, because the rest of the route would match too many events. */
function readRoute(schema: z.ZodType<Route>, entry: unknown, index: number, report: Report): Route | undefined {
  const { value, findings } = check(schema, entry, ["routes", index]);
  const unknown = { level: "error", message: "is an unknown condition, so the route is ignored" } as const;
  report(...findings.map((finding) => (finding.level === "error" ? finding : { ...finding, ...unknown })));
  const misspelt = (value?.on ?? []).flatMap((name, position) => {
    const meant = correctTypo(name, knownEvents);
    return meant === undefined ? [] : [{ position, hint: `Did you mean \`${meant}\`?` }];
  });
  for (const { position, hint } of misspelt) {
    report({ level: "error", path: ["routes", index, "on", position], message: "must be the name of an event", hint });
  }
  for (const name of ["hosts", "projects"] as const) report(...globFindings(value?.[name], ["routes", index, name]));
  return findings.length + misspelt.length === 0 ? value : undefined;
}

/** Known events of agents. Agents may add events, so an unknown event counts as a typo only if it is similar. */
const knownEvents = [
  ...eventNames,
  ...agents.flatMap(({ nativeEvents, settings }) => [
    ...Object.keys(nativeEvents),
    ...Object.keys(settings?.forbiddenEvents ?? {}),
  ]),
];
