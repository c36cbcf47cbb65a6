/** The names a template may use, with their meanings. */
export const templateNames = {
  project: "name of the folder in which the session was begun; of a worktree `shop (fix-login)`",
  place:
    "the project, shortened, and the machine's name if it is not the one you sit at (SSH, container), e.g. `shop@devbox`",
  agent: "the agent, as people call it",
  title: "the session's title, where it has one and the text does not begin with it",
  session: "the session's title, else the first 8 characters of its id",
  summary: "one line from the last assistant message",
  answer: "the last assistant message, all of it",
  stillRuns: "what still runs in the background, although the turn is over",
  nextRun: "when the session runs again by its own schedule, e.g. `14:20`",
  message: "the agent's own message",
  reason: "why a session ended or a turn failed",
  duration: "how long the turn took, e.g. `2 min 5 s`",
  tokens: "tokens of the session, e.g. `session: 12.3K tokens in, 4.5K out`",
  credits: "credits the session took, where the agent or the service counts them",
  messages: "number of messages in the session, where the service is asked",
  status: "the session's status, as the service names it",
  host: "this machine's name",
  branch: "the git branch, where the transcript tells",
  model: "the model",
  event: "the event",
  kind: "why you are called: needs-you, failed, finished, info",
  cwd: "the working directory",
} as const;
export type TemplateName = keyof typeof templateNames;
export type TemplateValues = { readonly [Name in TemplateName]?: string };

/**
 * One template, or a list: the first that can be filled completely is used, else the last as far as it can be filled. A
 * part in `[[…]]` is left out where one of its names has no value.
 */
export type Template = string | readonly string[];

/** What an event's message says. */
interface MessageTemplate {
  readonly title?: Template | undefined;
  readonly body?: Template | undefined;
}
/** Templates by event name; `failed` for failures of any event, `info` for events without templates of their own. */
export type MessageTemplates = Readonly<Record<string, MessageTemplate>>;

const placeholder = /\{([\w-]*)\}/g;
const optionalPart = /\[\[([^[\]]*)\]\]/g;

/** The names in a template that do not exist, in their order. */
export function unknownNames(template: Template): readonly string[] {
  return [template]
    .flat()
    .flatMap(namesIn)
    .filter((name) => !Object.hasOwn(templateNames, name));
}

/** The text of a template, filled in one pass: a value is never read as a template again. A missing value is empty. */
export function fill(template: Template, values: TemplateValues): string {
  const choices = [template].flat();
  const valueFor = (name: string): string => (Object.hasOwn(values, name) && values[name as TemplateName]) || "";
  const isComplete = (text: string): boolean => namesIn(text).every((name) => valueFor(name) !== "");
  const filled = (text: string): string => text.replace(placeholder, (_, name: string) => valueFor(name));
  const chosen = choices.find((text) => isComplete(text.replace(optionalPart, ""))) ?? choices.at(-1) ?? "";
  // Split by a group, so that every second piece is an optional part.
  const pieces = chosen.split(optionalPart).map((piece, index) => (index % 2 === 0 || isComplete(piece) ? piece : ""));
  return pieces.map(filled).join("");
}

function namesIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name]) => name ?? "");
}

/** A text with `{n}` for a number, by the plural category that the number has in the text's language. */
export type CountedText = { readonly [Category in Exclude<Intl.LDMLPluralRule, "other">]?: string } & {
  readonly other: string;
};

/** The form of a text that fits a number, with the number, as the language writes it, and other values put in. */
export function insertCount(
  text: CountedText,
  n: number,
  language: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const form = text[new Intl.PluralRules(language).select(n)] ?? text.other;
  return insertValues(form, { ...values, n: n.toLocaleString(language) });
}

/** A format with values in place of its `{names}`; nothing in place of a name without a value. */
export function insertValues(format: string, values: Readonly<Record<string, string | number>>): string {
  return format.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
