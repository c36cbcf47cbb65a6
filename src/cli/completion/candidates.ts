import type { Argument, Command, Option } from "commander";

/** Word that can complete a command line. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/**
 * Finds this user's values for an argument or an option, such as `notifier` or `--session`: notifiers in the
 * configuration, or sessions in the journal.
 */
export type FindValues = (name: string) => Promise<readonly Candidate[]>;

/**
 * Matches words that need no quotes in any shell. A session id may contain any characters, and must not become part of
 * a shell script.
 */
const plainWord = /^[\w@%+=,./~-]+$/;
/** Matches the start of values that a shell or command would read as an option or as another user's home folder. */
const unsafeValue = /^(?:-|~[^/])/;

/**
 * Lists the words that can complete the last word, from a program's commands and options.
 * @param words command line without the program's name; the last word is being typed and may be empty
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  findValues: FindValues,
): Promise<readonly Candidate[]> {
  const typed = words.at(-1) ?? "";
  const { command, option, positions } = positionAfter(program, words.slice(0, -1));
  const all = option ? await listValues(option, findValues) : [];
  const isOpen = !option || option.variadic;
  if (words.slice(0, -1).includes("--")) return []; // another command's words
  if (isOpen && typed.startsWith("-")) all.push(...listOptions(command));
  else if (isOpen) all.push(...(await listWords(command, positions, findValues)));
  return all.filter(({ value }) => value.startsWith(typed) && plainWord.test(value));
}

interface Position {
  readonly command: Command;
  /** Option whose value may come next. */
  readonly option: Option | undefined;
  /** Number of positional arguments so far. */
  readonly positions: number;
}

function positionAfter(program: Command, words: readonly string[]): Position {
  let [command, option, positions]: [Command, Option | undefined, number] = [program, undefined, 0];
  for (const word of words) {
    if (word.startsWith("-")) {
      const named = command.options.find(({ long, short }) => long === word || short === word);
      option = named?.required || named?.optional ? named : undefined;
      continue;
    }
    const value = option;
    if (!value?.variadic) option = undefined;
    if (value) continue;
    const next = positions === 0 ? command.commands.find((inner) => inner.name() === word) : undefined;
    [command, positions] = next ? [next, 0] : [command, positions + 1];
  }
  return { command, option, positions };
}

function listOptions(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

async function listWords(command: Command, positions: number, findValues: FindValues): Promise<Candidate[]> {
  const commands = positions === 0 ? command.createHelp().visibleCommands(command) : [];
  const { registeredArguments: declared } = command;
  const argument = declared[positions] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  const found = commands.map((inner) => ({ value: inner.name(), description: inner.description() }));
  return [...found, ...(argument ? await listValues(argument, findValues) : [])];
}

async function listValues(owner: Argument | Option, findValues: FindValues): Promise<Candidate[]> {
  if (owner.argChoices) return owner.argChoices.map((value) => ({ value }));
  const found = await findValues("long" in owner ? (owner.long ?? "") : owner.name());
  return found.filter(({ value }) => !unsafeValue.test(value));
}
