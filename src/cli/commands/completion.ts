import { Argument } from "commander";
import { UsageError } from "../../core/errors.ts";
import { candidatesFor } from "../completion/candidates.ts";
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

const bash = `# beckon's completion for bash. In ~/.bashrc: source <(beckon completion bash)
_beckon() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(beckon completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _beckon beckon
`;

const zsh = `#compdef beckon
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
`;

const fish = `# beckon's completion for fish: beckon completion fish > ~/.config/fish/completions/beckon.fish
function __beckon_words
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  beckon completion words -- $words[2..-1] "$typed" 2>/dev/null
end
complete -c beckon -f -a '(__beckon_words)'
`;

/** Completion scripts by shell. */
const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
