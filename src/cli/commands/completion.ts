import { Argument, type Command, type Option } from "commander";
import { UsageError } from "../../core/errors.ts";
import type { CliContext, RegisterCommand } from "../context.ts";

const setupHelp = `
To set up completion:
  bash: add \`source <(beckon completion bash)\` to ~/.bashrc
  zsh:  add \`source <(beckon completion zsh)\` to ~/.zshrc, after compinit
  fish: run \`beckon completion fish > ~/.config/fish/completions/beckon.fish\``;

/**
 * Declares `beckon completion`: prints a shell's completion script, which asks `beckon completion words` for
 * candidates.
 */
export const registerCompletion: RegisterCommand = (command, run) => {
  const { parent: program } = command;
  command
    .addArgument(shellArgument())
    .argument("[words...]")
    .usage("<shell>")
    .configureHelp({ visibleArguments: ({ registeredArguments: [shell] }) => (shell ? [shell] : []) })
    .addHelpText("after", setupHelp)
    .action((asked: Shell | "words", words: string[]) =>
      run(async (context) => {
        if (asked !== "words") return printScript(asked, words, context);
        if (!program) return 1;
        const { createFindValues } = await import("../completion/values.ts");
        const found = await candidatesFor(program, words, createFindValues(context));
        for (const { value, description = "" } of found)
          context.print(description === "" ? value : `${value}\t${description}`);
        return 0;
      }),
    );
};

/** Creates the argument for the shell's name. Also accepts `words`, which only the completion scripts use. */
function shellArgument(): Argument {
  const argument = new Argument("<shell>", "your shell").choices(shells);
  const check = argument.parseArg;
  return argument.argParser((text: string) => (text === "words" ? text : check?.(text, undefined)));
}

async function printScript(shell: Shell, words: readonly string[], { print }: CliContext): Promise<number> {
  if (words.length > 0) throw new UsageError("completion takes a single shell", "See `beckon completion --help`.");
  print(completionScripts[shell].trimEnd());
  return 0;
}

/** Shells with completion. */
const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** Completion scripts by shell. */
const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# beckon's completion for bash. In ~/.bashrc: source <(beckon completion bash)
_beckon() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(beckon completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _beckon beckon
`,
  zsh: `#compdef beckon
# beckon's completion for zsh. In ~/.zshrc, after compinit: source <(beckon completion zsh)
_beckon() {
  local line
  local -a values
  while IFS= read -r line; do
    values+=("\${line/$'\\t'/:}")
  done < <(beckon completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && _describe beckon values || _files
}
compdef _beckon beckon
`,
  fish: `# beckon's completion for fish: beckon completion fish > ~/.config/fish/completions/beckon.fish
function __beckon_words
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  beckon completion words -- $words[2..-1] "$typed" 2>/dev/null
end
complete -c beckon -f -a '(__beckon_words)'
`,
};

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
async function candidatesFor(
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

/** Finds the command that the words name, the option whose value may come next, and the number of arguments so far. */
function positionAfter(program: Command, words: readonly string[]) {
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
