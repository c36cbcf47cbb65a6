import picocolors from "picocolors";
import { fold } from "./columns.ts";
import { CancelledError } from "./errors.ts";

/** Dialog with the user. @throws {CancelledError} from every method if the user cancels */
export interface Dialog {
  select(question: string, choices: readonly Choice[]): Promise<string>;
  /** Asks for one choice like `select`, with a search field for long lists. */
  search(question: string, choices: readonly Choice[]): Promise<string>;
  selectMany(question: string, choices: readonly Choice[], usual: readonly string[]): Promise<string[]>;
  text(question: string, options: TextOptions): Promise<string>;
  confirm(question: string, usual: boolean): Promise<boolean>;
  /** Asks for one choice, with the arrow keys or the choice's own key. */
  pressKey(question: string, choices: readonly Choice[]): Promise<string>;
}

/** Choice of a question. */
export interface Choice {
  readonly value: string;
  /** Text on the screen; default: the value. */
  readonly label?: string;
  readonly hint?: string;
  /** True for a visible choice that cannot be selected. */
  readonly disabled?: boolean;
}

interface TextOptions {
  /** True hides the typed answer. */
  readonly secret: boolean;
  /** Answer that Enter gives, shown until the user types another. Only for a visible answer. */
  readonly suggestion?: string;
  /** Returns the problem with an answer; undefined if it is valid. */
  check(answer: string): string | undefined;
}

const output = screen();
const list = (choices: readonly Choice[]) => ({ output, options: [...choices], maxItems: 12 });

/** Dialog on this process's terminal. Its code is loaded with the first question. */
export const terminalDialog: Dialog = {
  select: (message, choices) => ask(({ select }) => select({ message, ...list(choices) })),
  search: (message, choices) =>
    ask(({ autocomplete }) => autocomplete({ message, ...list(choices), placeholder: "Type to search" })),
  selectMany: (message, choices, usual) => {
    const options = { options: [...choices], initialValues: [...usual], required: usual.length > 0 };
    return ask(({ multiselect }) => multiselect({ message, output, ...options }));
  },
  text: (message, { secret, check, suggestion }) =>
    ask(({ password, text }) =>
      (secret ? password : text)({
        // The lines fit next to the bar that the library draws.
        message: fold(message, (process.stdout.columns || 80) - 4).join("\n│  "),
        output,
        validate: (answer) => check(answer ?? ""),
        ...(suggestion !== undefined && { placeholder: suggestion, defaultValue: suggestion }),
      }),
    ),
  confirm: (message, usual) =>
    ask(({ confirm }) => confirm({ message: `${message} (y/n)`, output, initialValue: usual })),
  pressKey: async (message, choices) => (await ask(() => chooseByKey(message, choices))) ?? "",
};

/** Returns the dialog on this process's terminal; undefined if standard input or standard output is none. */
export function findDialog(): Dialog | undefined {
  return process.stdin.isTTY && process.stdout.isTTY ? terminalDialog : undefined;
}

async function ask<T>(question: (prompts: typeof import("@clack/prompts")) => Promise<T>) {
  const prompts = await import("@clack/prompts");
  const answer = await question(prompts);
  if (!prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
  prompts.cancel("Cancelled.", { output });
  throw new CancelledError();
}

/**
 * Returns standard output for the dialog library, with a width of 80 if the terminal reports 0, and without colours if
 * the user wants none. The library uses Node's `styleText`, which in Node 20 ignores NO_COLOR for lists of styles:
 * https://github.com/nodejs/node/issues/56717
 */
function screen(): NodeJS.WriteStream {
  const { stdout } = process;
  const paint = picocolors.isColorSupported
    ? (text: string) => text
    : (text: string) => text.replace(/\u001b\[[\d;]*m/g, "");
  return Object.create(stdout, {
    columns: { get: () => stdout.columns || 80 },
    rows: { get: () => stdout.rows || 24 },
    write: { value: (text: string) => stdout.write(paint(text)) },
  });
}

/**
 * Asks for one choice. The user selects it with the arrow keys and Enter, or presses the key that is the choice's
 * value, a lower-case letter. At the start the first choice is selected. Returns the library's symbol if the user cancels.
 */
async function chooseByKey(message: string, choices: readonly Choice[]): Promise<string | symbol | undefined> {
  const { SelectPrompt, wrapTextWithPrefix } = await import("@clack/core");
  const { S_BAR, S_BAR_END, S_RADIO_ACTIVE, S_RADIO_INACTIVE, symbol } = await import("@clack/prompts");
  const { dim, gray, cyan, green } = picocolors;
  const prompt = new SelectPrompt({
    options: [...choices],
    output,
    render() {
      const head = wrapTextWithPrefix(output, message, `${gray(S_BAR)}  `, `${symbol(this.state)}  `);
      const above = `${gray(S_BAR)}\n${head}\n`;
      if (this.state === "cancel") return `${above}${gray(S_BAR)}`;
      const chosen = choices[this.cursor];
      if (this.state === "submit") return `${above}${gray(S_BAR)}  ${dim(chosen?.label ?? chosen?.value ?? "")}`;
      const lines = choices.map(({ value, label = value, hint }, index) => {
        const notes = dim(hint === undefined ? `(${value})` : `(${value}: ${hint})`);
        return index === this.cursor
          ? `${green(S_RADIO_ACTIVE)} ${label} ${notes}`
          : `${dim(S_RADIO_INACTIVE)} ${dim(label)} ${notes}`;
      });
      const keys = choices.map(({ value }) => value).join("/");
      const footer = `${dim("↑/↓")} to navigate • ${dim("Enter:")} confirm • ${dim(`${keys}:`)} choose at once`;
      const body = [...lines, footer].map((line) => wrapTextWithPrefix(output, line, `${cyan(S_BAR)}  `));
      return `${above}${body.join("\n")}\n${cyan(S_BAR_END)}\n`;
    },
  });
  prompt.on("key", (key) => {
    const index = choices.findIndex(({ value }) => value === key?.toLowerCase());
    if (index < 0) return;
    prompt.cursor = index;
    prompt.value = choices[index]?.value;
    prompt.state = "submit";
  });
  return prompt.prompt();
}
