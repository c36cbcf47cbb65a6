import english from "../../templates/messages/en.json" with { type: "json" };
import type { MessageTemplates } from "../core/template.ts";

/** What beckon says by itself in one language: `templates/messages/<language>.json`. */
export interface Catalogue {
  /** By event, as in `templates` of the configuration. */
  readonly messages: MessageTemplates;
  /** Parts of values, with `{n}` and the like where a number goes. */
  readonly words: { readonly [Word in "hours" | "minutes" | "seconds" | "tokens"]: string };
}

/** The languages there are. One more is a file beside English and a line here. */
export const catalogues = { en: english } as const satisfies Readonly<Record<string, Catalogue>>;
export type Language = keyof typeof catalogues;
export const languages = Object.keys(catalogues) as [Language, ...Language[]];
