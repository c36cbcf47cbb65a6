import type { Argument, Command, Option } from "commander";

/** A word that may come next, and what it is. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/**
 * Finds what a named argument or option of this user may be: names from the configuration, sessions of the journal …
 */
export type FindValues = (name: string) => Promise<readonly Candidate[]>;

/** Words that every shell takes as they are. A session's id may be anything, and is not to become part of a script. */
const plainWord = /^[\w@%+=,./~-]+$/;
/** A value that begins so would be read as an option, or stand for another user's home. */
const misread = /^(?:-|~[^/])/;

/**
 * What the last of some words may become, by a program's own tree of commands and options.
 * @param words without the program's name; the last one is the one being typed, empty where it is not begun
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  findValues: FindValues,
): Promise<readonly Candidate[]> {
  const typed = words.at(-1) ?? "";
  const { command, option, positions } = positionAfter(program, words.slice(0, -1));
  const all = option ? await valuesOf(option, findValues) : [];
  const isOpen = !option || option.variadic;
  if (isOpen && typed.startsWith("-")) all.push(...optionsOf(command));
  else if (isOpen) all.push(...(await wordsOf(command, positions, findValues)));
  return all.filter(({ value }) => value.startsWith(typed) && plainWord.test(value));
}

interface Position {
  readonly command: Command;
  /** The option whose value comes next, or may. */
  readonly option: Option | undefined;
  /** Number of the command's arguments that are there. */
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
    const next = positions === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    [command, positions] = next ? [next, 0] : [command, positions + 1];
  }
  return { command, option, positions };
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

async function wordsOf(command: Command, positions: number, findValues: FindValues): Promise<Candidate[]> {
  const commands = positions === 0 ? command.createHelp().visibleCommands(command) : [];
  const { registeredArguments: declared } = command;
  const argument = declared[positions] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  const found = commands.map((one) => ({ value: one.name(), description: one.description() }));
  return [...found, ...(argument ? await valuesOf(argument, findValues) : [])];
}

async function valuesOf(taker: Argument | Option, findValues: FindValues): Promise<Candidate[]> {
  if (taker.argChoices) return taker.argChoices.map((value) => ({ value }));
  const found = await findValues("long" in taker ? (taker.long ?? "").slice(2) : taker.name());
  return found.filter(({ value }) => !misread.test(value));
}
