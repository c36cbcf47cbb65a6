import type { ConfiguredNotifier, Route } from "./config.ts";
import { defaultNotifiers } from "./default-notifiers.ts";
import { readNotifierEntry } from "./notifier-entry.ts";

/** The kinds that an error in the configuration must not silence. */
const kindsToKeep = ["needs-you", "failed", "finished"] as const;

/** Types of the notifiers that stand in. */
const types: readonly string[] = Object.values(defaultNotifiers).map(({ type }) => type);

/** Usable notifiers and, where none of them is of a default type, the default ones as `default-desk` and so on. */
export async function withStandIns(usable: ReadonlyMap<string, ConfiguredNotifier>) {
  const notifiers = new Map(usable);
  if ([...usable.values()].some(({ notifier }) => types.includes(notifier.name))) return notifiers;
  for (const [name, entry] of Object.entries(defaultNotifiers)) {
    const configured = await readNotifierEntry(`default-${name}`, entry, () => {});
    if (configured) notifiers.set(configured.name, configured);
  }
  return notifiers;
}

/** Routes to the stand-ins for events that damaged routes would have notified somebody of. */
export function standInRoutes(
  damaged: readonly Partial<Route>[],
  notifiers: ReadonlyMap<string, ConfiguredNotifier>,
): Route[] {
  const to = [...notifiers.values()].filter(({ notifier }) => types.includes(notifier.name)).map(({ name }) => name);
  return damaged.flatMap((conditions) => {
    const kinds = kindsToKeep.filter((kind) => conditions.kinds?.includes(kind) ?? true);
    return kinds.length > 0 ? [{ ...conditions, kinds: [...kinds], to }] : [];
  });
}
