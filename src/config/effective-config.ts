import { lookupLoaders } from "../lookups/registry.ts";
import type { Config, ConfiguredNotifier } from "./config.ts";
import { withoutSecrets } from "./secrets.ts";

/**
 * The configuration that holds, defaults included, in the form of the file: `[secret]` in place of every secret,
 * references unresolved. What an error switched off is not in it.
 */
export async function effectiveConfig(config: Config): Promise<Record<string, unknown>> {
  const { notifiers, routes, lookups, lookupSettings, templates, delivery } = config;
  const sections = Object.entries(lookupSettings).map(async ([name, settings]) => {
    const schema = (await lookupLoaders[name]?.())?.settings;
    return [name, schema ? withoutSecrets(schema, settings) : {}] as const;
  });
  return {
    notifiers: Object.fromEntries([...notifiers].map(([name, one]) => [name, showNotifier(one)])),
    routes,
    lookups,
    ...Object.fromEntries(await Promise.all(sections)),
    templates,
    delivery,
  };
}

function showNotifier({ notifier, settings, templates }: ConfiguredNotifier): Record<string, unknown> {
  const shown = withoutSecrets(notifier.settings, settings) as Record<string, unknown>;
  return { type: notifier.name, ...shown, ...(Object.keys(templates).length > 0 && { templates }) };
}
