import * as z from "zod";
import { omitUndefined } from "../core/omit-undefined.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import type { Config } from "./config.ts";
import { configTable, type SettingName, settingNames } from "./config-table.ts";
import { showLookupSection } from "./lookup-section.ts";
import { showNotifierEntry } from "./notifier-entry.ts";
import { routeSchema } from "./route-table.ts";
import { withoutSecrets } from "./secrets.ts";

/** Schemas for showing the settings. Routes to disabled notifiers are shown too. */
const schemas = { ...configTable, routes: z.array(routeSchema().extend({ to: z.array(z.string()) })) };

/**
 * Returns the effective configuration in the form of the file: with defaults, unresolved references, and `[secret]` for
 * secrets. Leaves out the parts that errors disabled.
 */
export async function effectiveConfig(config: Config): Promise<Record<string, unknown>> {
  const notifiers = [...config.notifiers].map(([name, configured]) => [name, showNotifierEntry(configured)]);
  const values = { ...config, notifiers: Object.fromEntries(notifiers) };
  const show = (name: SettingName) => {
    const encoded = z.encode(schemas[name] as z.ZodType, values[name]);
    // Each notifier's entry is already formatted with its own schema.
    return name === "notifiers" ? encoded : withoutSecrets(schemas[name], encoded);
  };
  const settings = settingNames.map((name) => [name, show(name)]);
  const configured = Object.keys({ ...config.lookupSettings, ...config.lookupProfiles });
  const sections = configured.map(async (name) => {
    const section = { settings: config.lookupSettings[name], profiles: config.lookupProfiles[name] };
    const lookup = await lookupLoaders[name]?.();
    return [name, lookup ? showLookupSection(lookup, omitUndefined(section)) : {}] as const;
  });
  return Object.fromEntries([...settings, ...(await Promise.all(sections))]);
}
