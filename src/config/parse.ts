import * as z from "zod";
import { present } from "../core/present.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { notifierLoaders } from "../notifiers/registry.ts";
import { check, type RawFinding } from "./check.ts";
import type { Config, ConfiguredNotifier, Finding, Route } from "./config.ts";
import { defaultConfigValue } from "./default-notifiers.ts";
import { didYouMean, positionOf, showPath } from "./did-you-mean.ts";
import { readJsonc } from "./read-jsonc.ts";
import { isSection, type Report, readEach, readPart, type Section } from "./notifier-entry.ts";
import {
  commonNotifierSettings,
  deliverySchema,
  languageSchema,
  notifierEntrySchema,
  routeSchema,
  templatesSchema,
} from "./config-table.ts";

/** Top-level keys of the configuration file, without those that belong to lookups. */
export const topLevelKeys = ["$schema", "notifiers", "routes", "lookups", "templates", "language", "delivery"] as const;

/**
 * Reads a configuration. What is invalid is left out, with a finding that names its place; the rest holds.
 * @param text the file's text; undefined for no file: the defaults
 */
export async function parseConfig(text: string | undefined): Promise<Config> {
  const source = text ?? JSON.stringify(defaultConfigValue);
  const { value, tree, finding } = readJsonc(source);
  const raw: RawFinding[] = [];
  if (!isSection(value) && !finding) {
    const hint = "Start from `beckon config init`.";
    raw.push({ level: "error", path: [], message: "the configuration must be an object", hint });
  }
  const config = await readSections(isSection(value) ? value : {}, (...findings) => raw.push(...findings));
  const place = (finding: RawFinding): Finding => ({
    ...finding,
    path: showPath(finding.path),
    ...(text !== undefined && positionOf(source, tree, finding.path)),
  });
  return { ...config, findings: [...(finding ? [finding] : []), ...raw.map(place)] };
}

async function readSections(value: Section, report: Report): Promise<Omit<Config, "findings">> {
  const known = [...topLevelKeys, ...Object.keys(lookupLoaders)];
  for (const key of Object.keys(value).filter((key) => !known.includes(key))) {
    report({ level: "warning", path: [key], message: "unknown setting, ignored", hint: didYouMean(key, known) });
  }
  const notifiers = await readNotifiers(value["notifiers"], report);
  const declared = declaredNames(value["notifiers"]);
  return {
    notifiers,
    disabled: declared.filter((name) => !notifiers.has(name)),
    hasRoutes: value["routes"] !== undefined,
    routes: readRoutes(value["routes"], [...notifiers.keys()], declared, report),
    ...(await readLookups(value, report)),
    templates: readEach(templatesSchema, value["templates"], ["templates"], report),
    language: readPart(languageSchema, value["language"], ["language"], report) ?? "en",
    delivery: readEach(deliverySchema, value["delivery"], ["delivery"], report),
  } as Omit<Config, "findings">;
}

async function readNotifiers(value: unknown, report: Report): Promise<Map<string, ConfiguredNotifier>> {
  const notifiers = new Map<string, ConfiguredNotifier>();
  const entries = readPart(
    z.record(z.string(), z.unknown()).prefault(defaultConfigValue.notifiers),
    value,
    ["notifiers"],
    report,
  );
  for (const [name, entry] of Object.entries(entries ?? {})) {
    const configured = await readNotifier(name, entry, report);
    if (configured) notifiers.set(name, configured);
  }
  return notifiers;
}

async function readNotifier(name: string, entry: unknown, report: Report): Promise<ConfiguredNotifier | undefined> {
  const types = Object.keys(notifierLoaders);
  const type = (entry as { type?: unknown } | null)?.type;
  const load = typeof type === "string" && Object.hasOwn(notifierLoaders, type) && notifierLoaders[type];
  if (!load) {
    const hint = typeof type === "string" ? didYouMean(type, types) : `One of ${types.join(", ")}.`;
    report({ level: "error", path: ["notifiers", name, "type"], message: "no such notifier", hint });
    return undefined;
  }
  const notifier = await load();
  const schema = notifierEntrySchema(type as string, notifier);
  const checked = check(
    schema,
    entry,
    ["notifiers", name],
    (path) => !Object.hasOwn(commonNotifierSettings.shape, String(path[0])),
  );
  report(...checked.findings);
  if (!checked.value) return undefined;
  const { type: _, detail, mask, templates = {}, ...settings } = checked.value as Record<string, unknown>;
  const common = present({ templates, detail, mask }) as Pick<ConfiguredNotifier, "templates" | "detail" | "mask">;
  return { name, notifier, settings, ...common };
}

function readRoutes(value: unknown, usable: readonly string[], declared: readonly string[], report: Report): Route[] {
  if (value === undefined) return [{ kinds: ["needs-you", "failed", "finished"], to: usable }];
  const entries = readPart(z.array(z.unknown()), value, ["routes"], report) ?? [];
  return entries.flatMap((entry, index) => {
    const { value: known, findings } = check(routeSchema, entry, ["routes", index]);
    // Without a condition that was meant it would reach further than it should.
    report(...findings.map((finding) => (finding.level === "error" ? finding : { ...finding, ...unknownCondition })));
    const route = findings.length === 0 ? known : undefined;
    route?.to.forEach((name, position) => {
      if (declared.includes(name)) return;
      const hint = didYouMean(name, declared);
      report({ level: "error", path: ["routes", index, "to", position], message: "no notifier of this name", hint });
    });
    return route ? [{ ...route, to: route.to.filter((name) => usable.includes(name)) }] : [];
  });
}

const unknownCondition = { level: "error", message: "unknown condition: the route does not hold" } as const;

async function readLookups(value: Section, report: Report): Promise<Pick<Config, "lookups" | "lookupSettings">> {
  const names = Object.keys(lookupLoaders) as [string, ...string[]];
  const byDefault = names.filter((name) => name === "transcript" || value[name] !== undefined);
  const lookups =
    readPart(z.array(z.enum(names)).prefault(byDefault), value["lookups"], ["lookups"], report) ?? byDefault;
  const lookupSettings: Record<string, unknown> = {};
  for (const name of names.filter((name) => value[name] !== undefined)) {
    const lookup = await lookupLoaders[name]?.();
    if (!lookup?.settings) continue;
    const checked = check(lookup.settings.strict(), value[name], [name], () => true);
    report(...checked.findings);
    if (checked.value) lookupSettings[name] = value[name];
  }
  return { lookups, lookupSettings };
}

function declaredNames(value: unknown = defaultConfigValue.notifiers): string[] {
  return isSection(value) ? Object.keys(value) : [];
}
