import english from "../../templates/messages/en.json" with { type: "json" };
import type { Labels } from "../core/notifier-call.ts";
import type { MessageTemplates } from "../core/template.ts";
import type { Kind } from "../core/vocabulary.ts";

/** The texts of beckon's own messages in one language: `templates/messages/<language>.json`. */
export interface Catalogue {
  /** Message templates by event, as in `templates` of the configuration. */
  readonly messages: MessageTemplates;
  /** Titles of messages that tell of several events, by their kind if it is the same. */
  readonly groups: { readonly [Name in Kind | "mixed"]: string };
  /** What buttons say. */
  readonly buttons: Labels;
  /** How values are written, with `{n}` and the like where a number goes. */
  readonly formats: { readonly [Name in "hours" | "minutes" | "seconds" | "tokens"]: string };
}

/** All catalogues by language. A new language is a file beside `en.json` and a line here. */
export const catalogues = { en: english } as const satisfies Readonly<Record<string, Catalogue>>;
export type Language = keyof typeof catalogues;

/** All languages there are. */
export const languages = Object.keys(catalogues) as [Language, ...Language[]];
