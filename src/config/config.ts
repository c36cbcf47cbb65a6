import type * as z from "zod";
import type { Notifier } from "../core/notifier.ts";
import type { MessageTemplates } from "../text/template.ts";
import type { SectionValues } from "./config-table.ts";
import type { deliverySchema } from "./delivery-table.ts";
import type { routeSchema } from "./route-table.ts";
import type { commonNotifierSettings } from "./templates-table.ts";

/** Problem with the configuration. */
export interface Finding {
  /** Severity. An `error` disables its part of the configuration; a `warning` does not. */
  readonly level: "error" | "warning";
  /** Path in the file, e.g. `notifiers.team.url`. Empty for the whole file. */
  readonly path: string;
  /** Line, one-based; absent without a file. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
}

/** Formats a finding on one line: `notifiers.team.url (line 7): must be an http(s) URL. Did you mean …?` */
export function showFinding({ path, line, message, hint }: Finding): string {
  const position = line === undefined ? "" : `line ${line}`;
  const where = path !== "" && position !== "" ? `${path} (${position})` : path + position;
  return `${where === "" ? "" : `${where}: `}${message}.${hint ? ` ${hint}` : ""}`;
}

/** Entry of `notifiers`, with parsed common settings and the notifier's own settings unparsed. */
export interface ConfiguredNotifier extends Omit<Readonly<z.output<typeof commonNotifierSettings>>, "templates"> {
  readonly name: string;
  readonly notifier: Notifier;
  /** Settings as in the file, with unresolved references and without defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly templates: MessageTemplates;
}

/** Route: an event that meets all conditions of the route goes to the route's notifiers. */
export type Route = Readonly<z.output<ReturnType<typeof routeSchema>>>;

/** True if a route takes requests (needs-you) to a notifier. */
export function takesRequests(routes: readonly Route[]): boolean {
  return routes.some(({ kinds = ["needs-you"], to }) => to.length > 0 && kinds.includes("needs-you"));
}

/** Lists the routes, with those that stand in for damaged ones. */
export function allRoutes({ routes, standInRoutes }: Config): readonly Route[] {
  return [...routes, ...standInRoutes];
}

/** Lists the notifiers that no route leads to. */
export function listUnrouted(config: Config): string[] {
  const routed = allRoutes(config).flatMap(({ to }) => to);
  return [...config.notifiers.keys()].filter((name) => !routed.includes(name));
}

/** Delivery settings. Durations are milliseconds. */
export type DeliverySettings = Readonly<z.output<typeof deliverySchema>>;

/** User's configuration without its invalid parts, with findings about these parts. Durations are milliseconds. */
export interface Config extends SectionValues {
  readonly notifiers: ReadonlyMap<string, ConfiguredNotifier>;
  /** Names of notifiers disabled by errors. */
  readonly disabled: readonly string[];
  readonly routes: readonly Route[];
  /** Routes for events that would reach no notifier because of errors in the file. */
  readonly standInRoutes: readonly Route[];
  /** True if the file has `routes`. Without `routes`, every notifier gets all events except `info`. */
  readonly hasRoutes: boolean;
  readonly lookups: readonly string[];
  /** Settings of lookups by name, with unresolved references. */
  readonly lookupSettings: Readonly<Record<string, unknown>>;
  /** Profiles of lookups by lookup name, then profile name, with unresolved references. */
  readonly lookupProfiles: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly findings: readonly Finding[];
}

/** Returns the audience of an entry of `notifiers`: its own setting, or the notifier's default. */
export function readAudience({ for: ownAudience, notifier }: ConfiguredNotifier) {
  return ownAudience ?? notifier.audience;
}
