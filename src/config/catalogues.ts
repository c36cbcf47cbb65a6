import english from "../../templates/messages/en.json" with { type: "json" };
import type { Labels } from "../core/notifier-call.ts";
import type { Kind } from "../core/vocabulary.ts";
import type { CountedText, MessageTemplates, Template } from "../text/template.ts";

/** The texts of beckon's own messages in one language, as in `templates/messages/<language>.json`. */
export interface Texts {
  /** Message templates by event, as in `templates` of the configuration. */
  readonly messages: MessageTemplates;
  /** Titles of messages that tell of several events, by their kind if it is the same, and the line for each event. */
  readonly groups: { readonly [Name in Kind | "mixed"]: CountedText } & { readonly line: string };
  /** What beckon itself has to say. */
  readonly notices: {
    readonly test: string;
    readonly brokenNotifier: string;
    readonly busyMachine: string;
    readonly configurationErrors: CountedText;
  };
  /** What buttons say. */
  readonly buttons: Labels;
  /** Where a message comes from, for receivers that show it apart. */
  readonly origin: Template;
  /** How values are written, with `{n}` and the like where a number goes. */
  readonly formats: { readonly [Name in "hours" | "minutes" | "seconds" | "twoUnits" | "tokens"]: string };
}

/** How the texts of the languages besides English are loaded. A new one is a file beside `en.json` and a line here. */
const loaders = {
  de: () => import("../../templates/messages/de.json", { with: { type: "json" } }),
  fr: () => import("../../templates/messages/fr.json", { with: { type: "json" } }),
  es: () => import("../../templates/messages/es.json", { with: { type: "json" } }),
  pt: () => import("../../templates/messages/pt.json", { with: { type: "json" } }),
  ja: () => import("../../templates/messages/ja.json", { with: { type: "json" } }),
  zh: () => import("../../templates/messages/zh.json", { with: { type: "json" } }),
} as const satisfies Readonly<Record<string, () => Promise<{ readonly default: Texts }>>>;

/** A language of messages, by its ISO 639-1 code. */
export type Language = "en" | keyof typeof loaders;

/** All languages there are. */
export const languages = ["en", ...Object.keys(loaders)] as [Language, ...Language[]];

/** The texts of one language, with its code. */
export interface Catalogue extends Texts {
  readonly language: Language;
}

/** The catalogue that is always loaded. */
export const englishCatalogue: Catalogue = { language: "en", ...english };

/** The catalogue of a language; all but the English one are read from their files when they are first asked for. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  if (language === "en") return englishCatalogue;
  const { default: texts } = await loaders[language]();
  return { language, ...texts };
}
