import { type Command, InvalidArgumentError } from "commander";
import { type Kind, kinds } from "../../../core/vocabulary.ts";
import type { CliContext, Finish } from "../../context.ts";

/** Adds `beckon config …` to the program. */
export function addConfigCommands(program: Command, context: CliContext, finish: Finish): void {
  const config = program.command("config").description("the configuration file");
  config.showHelpAfterError("See `beckon config --help`.");
  const load = () => import("../../config.ts");
  config
    .command("path")
    .description("where it is, or would be")
    .action(async () => finish(await (await load()).runConfigPath({}, context)));
  config
    .command("show")
    .description("what holds, defaults included, as JSON without secrets")
    .action(async () => finish(await (await load()).runConfigShow({}, context)));
  config
    .command("check")
    .description("what is wrong with it, and where")
    .action(async () => finish(await (await load()).runConfigCheck({}, context)));
  config
    .command("add")
    .description("one more notifier: asks for what it needs, tries it out, writes it into the file")
    .argument("[type]", "which kind, e.g. slack")
    .option("--name <name>", "what it is called; default: like its kind")
    .option("--set <key=value>", "a setting; secrets only as a reference, ${env:NAME} or ${file:/path}", collect)
    .option("--secret <key>", "a secret that comes on standard input, a line for each", collect)
    .option("--kinds <kinds>", "what it is to call you for, e.g. needs-you,failed", kindList)
    .option("--no-test", "send no test message")
    .option("--force", "write it even if it did not work")
    .action(async (type, { set = [], secret: secretKeys = [], ...options }) => {
      const { runConfigAdd } = await import("./add/add.ts");
      finish(await runConfigAdd({ ...options, set, secretKeys, ...(type !== undefined && { type }) }, context));
    });
  config
    .command("init")
    .description("write a commented one to start from")
    .action(async () => finish(await (await load()).runConfigInit({}, context)));
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function kindList(text: string): readonly Kind[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.every((word): word is Kind => kinds.some((kind) => kind === word))) return words;
  throw new InvalidArgumentError(`They are ${kinds.join(", ")}.`);
}
