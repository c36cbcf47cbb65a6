import picocolors from "picocolors";
import { fold } from "./columns.ts";

/** Asks a person questions. @throws {CancelledError} from every method, when the user cancels */
export interface Dialog {
  select(question: string, choices: readonly Choice[]): Promise<string>;
  /** As `select`, of a long list, which is narrowed down by typing. */
  search(question: string, choices: readonly Choice[]): Promise<string>;
  selectMany(question: string, choices: readonly Choice[], usual: readonly string[]): Promise<string[]>;
  text(question: string, options: TextOptions): Promise<string>;
  confirm(question: string, usual: boolean): Promise<boolean>;
  /** One of the choices by the key that is its value, one lower-case letter; Enter takes the first. */
  pressKey(question: string, choices: readonly Choice[]): Promise<string>;
}

/** The user does not want to go on. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
}

/** One of the options of a question. */
export interface Choice {
  readonly value: string;
  /** What is shown for it; default: the value. */
  readonly label?: string;
  readonly hint?: string;
  /** Shown, but cannot be selected. */
  readonly disabled?: boolean;
}

interface TextOptions {
  /** Hide the answer while it is typed. */
  readonly secret: boolean;
  /** Says what is wrong with an answer; undefined where nothing is. */
  check(answer: string): string | undefined;
}

/** Asks on this process's terminal. */
export async function terminalDialog(): Promise<Dialog> {
  const { autocomplete, confirm, isCancel, multiselect, password, select, selectKey, text } = await import(
    "@clack/prompts"
  );
  const answerOf = async <T>(asking: Promise<T>): Promise<Exclude<T, symbol>> => {
    const answer = await asking;
    if (isCancel(answer)) throw new CancelledError();
    return answer as Exclude<T, symbol>;
  };
  const output = screen();
  const list = (choices: readonly Choice[]) => ({ output, options: [...choices], maxItems: 12 });
  return {
    select: (message, choices) => answerOf(select({ message, ...list(choices) })),
    search: (message, choices) => answerOf(autocomplete({ message, ...list(choices), placeholder: "Type to search" })),
    selectMany: (message, choices, usual) =>
      answerOf(
        multiselect({ message, output, options: [...choices], initialValues: [...usual], required: usual.length > 0 }),
      ),
    text: (message, { secret, check }) =>
      answerOf(
        (secret ? password : text)({
          message: foldQuestion(message),
          output,
          validate: (answer) => check(answer ?? ""),
        }),
      ),
    confirm: (message, usual) => answerOf(confirm({ message, output, initialValue: usual })),
    async pressKey(message, choices) {
      const first = choices[0]?.value ?? "";
      const pressed: string | undefined = await answerOf(
        selectKey({ message, output, options: [...choices], initialValue: first }),
      );
      return pressed ?? first; // undefined, whatever its type says, for Enter
    },
  };
}

/**
 * Standard output, without colours where none are wanted. The library asks Node's `styleText`, which in Node 20 knows
 * of NO_COLOR only where it is given one style: https://github.com/nodejs/node/issues/56717
 */
function screen(): NodeJS.WriteStream {
  if (picocolors.isColorSupported) return process.stdout;
  const write = (text: string) => process.stdout.write(text.replace(/\u001b\[[\d;]*m/g, ""));
  return Object.create(process.stdout, { write: { value: write } });
}

/** A question that may be long, folded at words beside the bar that the library draws. */
function foldQuestion(question: string): string {
  return fold(question, (process.stdout.columns || 80) - 4).join("\n│  ");
}

/** What a person answers on this process's terminal, or `otherwise` when the question is cancelled. */
export async function askOnTerminal<Answer, Otherwise>(
  ask: (dialog: Dialog) => Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> {
  try {
    return await ask(await terminalDialog());
  } catch (error) {
    if (error instanceof CancelledError) return otherwise;
    throw error;
  }
}
