import type { ConfiguredNotifier, Route } from "./config.ts";
import { defaultNotifiers } from "./default-notifiers.ts";
import { readNotifierEntry } from "./notifier-entry.ts";

/** Kinds that errors in the configuration must not silence. */
const kindsToKeep = ["needs-you", "failed", "finished"] as const;

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

/** Creates routes to notifiers of the default types, for the events of damaged routes. */
export function standInRoutes(
  orphaned: readonly Partial<Route>[],
  notifiers: ReadonlyMap<string, ConfiguredNotifier>,
): Route[] {
  const to = [...notifiers.values()].filter(({ notifier }) => types.includes(notifier.name)).map(({ name }) => name);
  return orphaned.flatMap((conditions) => {
    const kinds = kindsToKeep.filter((kind) => conditions.kinds?.includes(kind) ?? true);
    return kinds.length > 0 ? [{ ...conditions, kinds: [...kinds], to }] : [];
  });
}
