/** Names that a template may use, with their meanings. */
export const templateNames = {
  project: "name of the folder in which the session started; `shop (fix-login)` in a worktree",
  place: "the project, shortened, with the machine's name over SSH or in a container: `shop@devbox`",
  agent: "name of the agent; the title of a `beckon send`, the command of a `beckon run`",
  title: "the session's title, unless the text begins with it",
  session: "the session's title, or the start of its id",
  summary: "one line from the last assistant message",
  answer: "the whole last assistant message",
  stillRuns: "what still runs in the background after the turn",
  nextRun: "when the session next runs on its own schedule: `14:20`",
  message: "the agent's own message",
  reason: "why a session ended or a turn failed",
  did: "what the turn's calls and its sub-agents did: `edited 3 files · ran 5 commands`",
  duration: "duration of a command, or of a turn from ten seconds on: `2 min 5 s`",
  tokens: "`session: 12.3K tokens in, 4.5K out`",
  credits: "credits that the session used, if the agent or the service counts them",
  cost: "what the session cost, if the agent estimates it: `$0.42`",
  messages: "number of messages in the session, from the service",
  status: "status of the session, from the service",
  host: "this machine's name",
  branch: "the git branch, from the transcript",
  model: "the model",
  event: "the event",
  kind: "`needs-you`, `failed`, `finished` or `info`",
  cwd: "the working directory",
} as const;
export type TemplateName = keyof typeof templateNames;
export type TemplateValues = { readonly [Name in TemplateName]?: string };

/**
 * A template, or a list of templates. Of a list, the first template that can be filled completely is used, or else the
 * last one. A part in `[[…]]` is dropped if one of its names has no value.
 */
export type Template = string | readonly string[];

/** Templates by event name; `failed` for failures of any event, `info` for events without templates of their own. */
export type MessageTemplates = Readonly<Record<string, { readonly [Part in "title" | "body"]?: Template | undefined }>>;

const placeholder = /\{([\w-]*)\}/g;
const optionalPart = /\[\[([^[\]]*)\]\]/g;

/** Lists the names in a template that do not exist, in order. */
export function unknownNames(template: Template): readonly string[] {
  return [template]
    .flat()
    .flatMap(namesIn)
    .filter((name) => !Object.hasOwn(templateNames, name));
}

/** True if one of the templates uses a name. */
export function usesName(templates: MessageTemplates, name: TemplateName): boolean {
  const texts = Object.values(templates).flatMap(({ title = [], body = [] }) => [title, body].flat());
  return texts.flatMap(namesIn).includes(name);
}

/** Fills a template. Does not replace placeholders inside values. A missing value becomes an empty text. */
export function fill(template: Template, values: TemplateValues): string {
  const choices = [template].flat();
  const valueFor = (name: string): string => (Object.hasOwn(values, name) && values[name as TemplateName]) || "";
  const isComplete = (text: string): boolean => namesIn(text).every((name) => valueFor(name) !== "");
  const fillNames = (text: string): string => text.replace(placeholder, (_, name: string) => valueFor(name));
  const chosen = choices.find((text) => isComplete(text.replace(optionalPart, ""))) ?? choices.at(-1) ?? "";
  // Split by a group: every second piece is an optional part.
  const pieces = chosen.split(optionalPart).map((piece, index) => (index % 2 === 0 || isComplete(piece) ? piece : ""));
  return pieces.map(fillNames).join("");
}

function namesIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name]) => name ?? "");
}

/** Forms of a text with `{n}` for a number: one for each plural category of the text's language. */
export type CountedText = { readonly [Category in Exclude<Intl.LDMLPluralRule, "other">]?: string } & {
  readonly other: string;
};

/**
 * Chooses a text's form for a number, and inserts other values and the number in the language's format.
 * @param type `ordinal` for texts such as `3rd`
 */
export function insertCount(
  text: CountedText,
  n: number,
  { language, type = "cardinal" }: { readonly language: string; readonly type?: Intl.PluralRuleType },
  values: Readonly<Record<string, string>> = {},
): string {
  const form = text[new Intl.PluralRules(language, { type }).select(n)] ?? text.other;
  return insertValues(form, { ...values, n: n.toLocaleString(language) });
}

/** Replaces each `{name}` in a format with its value; a name without a value is removed. */
export function insertValues(format: string, values: Readonly<Record<string, string | number>>): string {
  return format.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
