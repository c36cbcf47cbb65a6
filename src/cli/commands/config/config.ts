import { existsSync } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import { agents } from "../../../agents/registry.ts";
import type { Config } from "../../../config/config.ts";
import { effectiveConfig } from "../../../config/effective-config.ts";
import { loadConfig } from "../../../config/load.ts";
import { routeSchema } from "../../../config/route-table.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { type Kind, kinds } from "../../../core/vocabulary.ts";
import type { CliContext, RegisterCommand } from "../../context.ts";
import { printFindings } from "../../findings.ts";
import { portsOf } from "../../ports.ts";
import { configAccessFindings } from "../../status/access-problem.ts";
import type { AddOptions } from "./add/add.ts";
import { initConfig } from "./init.ts";

/** `beckon config`: commands about the configuration file. */
export const registerConfig: RegisterCommand = (config, run) => {
  config
    .command("path")
    .description("print the path of the configuration file, whether or not it exists")
    .action(() => run(showPath));
  config
    .command("show")
    .description("print the configuration in effect, defaults included, as JSON without secrets")
    .action(() => run(showConfig));
  config
    .command("check")
    .description("list the problems of the file and of its secrets, each with its position")
    .option("--json", "print one JSON array")
    .action((options: { readonly json?: boolean }) => run((context) => checkConfig(options, context)));
  registerAdd(config.command("add"), run);
  config
    .command("remove")
    .description("remove a notifier, its name in routes, and the secrets saved for it")
    .argument("<notifier>", "its name in the configuration")
    .action((name: string) => run(async (context) => (await import("./remove.ts")).runConfigRemove(name, context)));
  config
    .command("edit")
    .description("open the file in $VISUAL or $EDITOR, and check it afterwards")
    .action(() => run(async (context) => (await import("./edit.ts")).runConfigEdit(context)));
  config
    .command("init")
    .description("write a commented configuration to start from")
    .action(() => run(initConfig));
};

/** Its code is loaded when it runs: the other commands of `config` start faster without it. */
const registerAdd: RegisterCommand = (command, run) => {
  command
    .description("add a notifier: asks for its settings, tests it, saves it")
    .argument("[type]", "type of notifier, such as slack")
    .option("--name <name>", "name in the configuration; default: its type")
    .option("--set <key=value>", "a setting; secrets only as a reference, ${env:NAME} or ${file:/path}", collect)
    .option("--secret <key>", "read this secret from standard input, one line for each --secret", collect)
    .option("--kinds <kinds>", "kinds of event to send, such as needs-you,failed", kindList)
    .option("--projects <globs>", "only for these projects, such as ~/code/shop/**", wordList)
    .option("--agents <names>", "only for these agents, separated by commas", agentList)
    .option("--on <events>", "only for these events, such as Stop,SessionEnd", wordList)
    .addOption(
      new Option("--when <where>", "only while you are away from this machine, or here").choices(["away", "here"]),
    )
    .option("--after <duration>", "only what nobody has reacted to after so long, such as 5m", delayOf)
    .option("--no-test", "send no test message")
    .option("--force", "save it even if the test fails")
    .action((type: string | undefined, flags: Omit<AddOptions, "type">) =>
      run(async (context) => {
        const { runConfigAdd } = await import("./add/add.ts");
        return runConfigAdd({ ...flags, ...omitUndefined({ type }) }, context);
      }),
    );
};

const delay = routeSchema().shape.after;

/** The duration as it was written: that is how the configuration has it. */
function delayOf(text: string): string {
  if (delay.safeParse(text).success) return text;
  throw new InvalidArgumentError('A duration such as "5m", from a second to a day.');
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function split(text: string): readonly string[] {
  return text.split(",").map((word) => word.trim());
}

function wordList(text: string): readonly string[] {
  const words = split(text);
  if (words.every((word) => word !== "")) return words;
  throw new InvalidArgumentError("Separate them by commas.");
}

function agentList(text: string): readonly string[] {
  const words = wordList(text);
  const known = agents.map(({ name }) => name);
  if (words.every((word) => known.includes(word))) return words;
  throw new InvalidArgumentError(`The agents are ${known.join(", ")}.`);
}

function kindList(text: string): readonly Kind[] {
  const words = split(text);
  if (words.every((word): word is Kind => kinds.some((kind) => kind === word))) return words;
  throw new InvalidArgumentError(`The kinds are ${kinds.join(", ")}.`);
}

async function showPath({ paths, print }: CliContext): Promise<number> {
  print(paths.config);
  return 0;
}

async function showConfig({ paths, print, printError }: CliContext): Promise<number> {
  const config = await loadConfig(paths.config);
  print(JSON.stringify(await effectiveConfig(config), null, 2));
  const errors = countErrors(config);
  const parts = errors === 1 ? "1 part of the file is" : `${errors} parts of the file are`;
  if (errors > 0) printError(`${parts} ignored because of errors: see \`beckon config check\`.`);
  return 0;
}

/** Returns exit code 1 if there are errors; warnings are not errors. */
async function checkConfig({ json }: { readonly json?: boolean }, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  const config = await loadConfig(paths.config);
  const { findSecretProblems } = await import("./check-secrets.ts");
  const secretProblems = await findSecretProblems(config, paths.config, portsOf(paths).exec);
  const access = configAccessFindings(paths, context.environment.platform);
  const findings = [...config.findings, ...access, ...secretProblems];
  const exitCode = countErrors({ findings }) > 0 ? 1 : 0;
  if (json) {
    print(JSON.stringify(findings));
    return exitCode;
  }
  printFindings(findings, context);
  if (findings.some(({ line, hint }) => line !== undefined && hint === undefined)) {
    print("`beckon config edit` opens the file, and checks it afterwards.");
  }
  const verdict = existsSync(paths.config) ? "no problems found" : "does not exist, so the defaults apply";
  if (findings.length === 0) print(`${colors.green("✓")} ${paths.config}: ${verdict}`);
  return exitCode;
}

function countErrors({ findings }: Pick<Config, "findings">): number {
  return findings.filter(({ level }) => level === "error").length;
}
