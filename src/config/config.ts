import type * as z from "zod";
import type { Notifier } from "../core/notifier.ts";
import type { MessageTemplates } from "../text/template.ts";
import type { commonNotifierSettings } from "./common-settings-table.ts";
import type { SectionValues } from "./config-table.ts";
import type { deliverySchema } from "./delivery-table.ts";
import type { routeSchema } from "./route-table.ts";

/** Something about the configuration that the user should know. */
export interface Finding {
  /** An `error` disables the part it names; a `warning` does not. */
  readonly level: "error" | "warning";
  /** Path in the file, e.g. `notifiers.team.url`. Empty for the file as a whole. */
  readonly path: string;
  /** One-based; absent where there is no file. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
}

/** One line for people: `notifiers.team.url (line 7): must be an http(s) URL. Did you mean …?` */
export function showFinding({ path, line, message, hint }: Finding): string {
  const position = line === undefined ? "" : `(line ${line})`;
  const where = [path, position].filter(Boolean).join(" ");
  return `${where === "" ? "" : `${where}: `}${message}.${hint ? ` ${hint}` : ""}`;
}

type CommonNotifierSettings = Readonly<z.output<typeof commonNotifierSettings>>;

/** An entry of `notifiers`; what every notifier takes is read, the notifier's own settings are not. */
export interface ConfiguredNotifier extends Omit<CommonNotifierSettings, "templates"> {
  readonly name: string;
  readonly notifier: Notifier;
  /** As in the file: references unresolved, defaults absent. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly templates: MessageTemplates;
}

/** A rule: an event that meets all of its conditions goes to its notifiers. */
export type Route = Readonly<z.output<ReturnType<typeof routeSchema>>>;

/** How events are delivered; durations in milliseconds. */
export type DeliverySettings = Readonly<z.output<typeof deliverySchema>>;

/** The user's configuration as far as it is valid, with what was wrong with the rest. Durations are milliseconds. */
export interface Config extends SectionValues {
  readonly notifiers: ReadonlyMap<string, ConfiguredNotifier>;
  /** Names of notifiers that an error disabled. */
  readonly disabled: readonly string[];
  readonly routes: readonly Route[];
  /** Routes for events that errors in the file left without a notifier; empty without such errors. */
  readonly standInRoutes: readonly Route[];
  /** Whether the file says anything about routes; if not, every notifier is told of everything but `info`. */
  readonly hasRoutes: boolean;
  readonly lookups: readonly string[];
  /** Settings of lookups that have some, by lookup name; references unresolved. */
  readonly lookupSettings: Readonly<Record<string, unknown>>;
  /** Profiles of lookups that have some, by lookup name, then by profile name; references unresolved. */
  readonly lookupProfiles: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly findings: readonly Finding[];
}

/** Finds out for whom an entry of `notifiers` is: as it says, or as its notifier does. */
export function readAudience({ for: said, notifier }: ConfiguredNotifier) {
  return said ?? notifier.audience;
}
