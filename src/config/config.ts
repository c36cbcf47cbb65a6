import type { Detail } from "../core/detail.ts";
import type { Notifier } from "../core/notifier.ts";
import type { MessageTemplates } from "../core/template.ts";
import type { Kind } from "../core/vocabulary.ts";
import type { Language } from "./catalogues.ts";

/** Something about the configuration that the user should know. */
export interface Finding {
  /** An `error` switches off the part it names; a `warning` does not. */
  readonly level: "error" | "warning";
  /** Place in the file, e.g. `notifiers.team.url`. Empty for the file as a whole. */
  readonly path: string;
  /** One-based; absent where there is no file. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
}

export interface ConfiguredNotifier {
  readonly name: string;
  readonly notifier: Notifier;
  /** As in the file: references unresolved. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly templates: MessageTemplates;
  /** Absent: the notifier's own default. */
  readonly detail?: Detail;
  /** Absent: masked if the message leaves this machine. */
  readonly mask?: boolean;
}

/** A rule: an event that meets all of its conditions goes to its notifiers. */
export interface Route {
  readonly on?: readonly string[] | undefined;
  readonly kinds?: readonly Kind[] | undefined;
  readonly agents?: readonly string[] | undefined;
  /** Globs on the working directory; `~/` is the home folder. */
  readonly projects?: readonly string[] | undefined;
  readonly reasons?: readonly string[] | undefined;
  readonly to: readonly string[];
}

export interface DeliverySettings {
  /** Waits before the second, third … attempt; the last is repeated until the event expires. */
  readonly retryDelaysSeconds: readonly number[];
  /** How long an event is worth delivering, by kind. */
  readonly expireMinutes: Readonly<Record<Kind, number>>;
  /** How long the worker stays after the last event. */
  readonly lingerSeconds: number;
}

/** The user's configuration as far as it is valid, with what was wrong with the rest. */
export interface Config {
  readonly notifiers: ReadonlyMap<string, ConfiguredNotifier>;
  /** Names of notifiers that an error switched off. */
  readonly disabled: readonly string[];
  readonly routes: readonly Route[];
  /** Whether the file says anything about routes; without a word every notifier hears of what matters. */
  readonly hasRoutes: boolean;
  readonly lookups: readonly string[];
  /** Settings of lookups that have some, by lookup name; references unresolved. */
  readonly lookupSettings: Readonly<Record<string, unknown>>;
  readonly templates: MessageTemplates;
  /** Of what beckon says by itself. */
  readonly language: Language;
  readonly delivery: DeliverySettings;
  readonly findings: readonly Finding[];
}
