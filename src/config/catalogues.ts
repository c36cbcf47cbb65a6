import english from "../../templates/messages/en.json" with { type: "json" };
import type { Labels } from "../core/notifier-call.ts";
import type { UsageLimitTexts } from "../core/usage-limit.ts";
import type { Kind } from "../core/vocabulary.ts";
import type { CountedText, MessageTemplates, Template } from "../text/template.ts";

/** Message texts in a language, as in `templates/messages/<language>.json`. */
export interface Texts {
  /** Message templates by event, as in `templates` of the configuration. */
  readonly messages: MessageTemplates;
  /** Titles of messages about several events, by their common kind, and the line for each event. */
  readonly groups: { readonly [Name in Kind | "mixed"]: CountedText } & { readonly line: string };
  /** Notices from beckon itself. */
  readonly notices: {
    readonly test: string;
    readonly brokenNotifier: string;
    readonly busyMachine: string;
    readonly foreignAnswer: string;
    readonly configurationErrors: CountedText;
  };
  /** Texts of messages about permission requests that can be answered elsewhere. */
  readonly answers: {
    readonly denyOnly: string;
    /** Number of the request among those of the last two minutes, with the language's ordinals. */
    readonly recent: CountedText;
    readonly allowed: string;
    readonly denied: string;
    readonly ended: string;
  };
  readonly limits: UsageLimitTexts["limits"];
  /** Numbers of edited files and of commands. */
  readonly done: { readonly files: CountedText; readonly commands: CountedText };
  /** Labels of buttons. */
  readonly buttons: Required<Labels>;
  /** Text that names a message's origin, for receivers that show the origin separately. */
  readonly origin: Template;
  /** Formats of values, with placeholders such as `{n}` for numbers. */
  readonly formats: { readonly [Name in "hours" | "minutes" | "seconds" | "twoUnits" | "tokens"]: string };
}

/** Loaders of the texts in other languages than English. A new language needs a file like `en.json` and a line here. */
const loaders = {
  de: () => import("../../templates/messages/de.json", { with: { type: "json" } }),
  fr: () => import("../../templates/messages/fr.json", { with: { type: "json" } }),
  es: () => import("../../templates/messages/es.json", { with: { type: "json" } }),
  pt: () => import("../../templates/messages/pt.json", { with: { type: "json" } }),
  ja: () => import("../../templates/messages/ja.json", { with: { type: "json" } }),
  zh: () => import("../../templates/messages/zh.json", { with: { type: "json" } }),
} as const satisfies Readonly<Record<string, () => Promise<{ readonly default: Texts }>>>;

/** Language of messages, by its ISO 639-1 code. */
export type Language = "en" | keyof typeof loaders;

/** All languages. */
export const languages = ["en", ...Object.keys(loaders)] as [Language, ...Language[]];

/** Texts of a language, with its code. */
export interface Catalogue extends Texts {
  readonly language: Language;
}

/** English catalogue, which is always loaded. */
export const englishCatalogue: Catalogue = { language: "en", ...english };

/** Loads the catalogue of a language. Any catalogue other than the English one is read from a file on first use. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  if (language === "en") return englishCatalogue;
  const { default: texts } = await loaders[language]();
  return { language, ...texts };
}
