import { Argument } from "commander";
import { UsageError } from "../../core/errors.ts";
import { candidatesFor } from "../completion/candidates.ts";
import { completionScripts, type Shell, shells } from "../completion/scripts.ts";
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
