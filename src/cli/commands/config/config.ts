import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { agents, resolveAgent } from "../../../agents/registry.ts";
import type { Config } from "../../../config/config.ts";
import { configTable, type SettingName, settingNames } from "../../../config/config-table.ts";
import { readTemplate } from "../../../config/edit/store.ts";
import { lastGoodNote, loadConfig } from "../../../config/load.ts";
import { showLookupSection } from "../../../config/lookup-section.ts";
import { showNotifierEntry } from "../../../config/notifier-entry.ts";
import { routeSchema } from "../../../config/route-table.ts";
import { withoutSecrets } from "../../../config/secrets.ts";
import { CommandError, readErrno } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { kinds } from "../../../core/vocabulary.ts";
import { openInEditor } from "../../../io/foreground.ts";
import { lookupLoaders } from "../../../lookups/registry.ts";
import type { CliContext, RegisterCommand } from "../../context.ts";
import { terminalDialog } from "../../dialog.ts";
import { addExamples, collect } from "../../options.ts";
import { type JsonOption, jsonLine } from "../../output/json-line.ts";
import { createCliPorts } from "../../ports.ts";
import { printFindings, shortPath } from "../../say.ts";
import { configAccessFindings } from "../../status/problems.ts";
import type { AddOptions } from "./add/add.ts";

/** Declares `beckon config`: commands for the configuration file. */
export const registerConfig: RegisterCommand = (config, run) => {
  config
    .command("path")
    .description("print the path of the configuration file")
    .option("--json", "print one JSON object")
    .action((options: JsonOption) => run((context) => showPath(options, context)));
  config
    .command("show")
    .description("print the effective configuration as JSON, with defaults and without secrets")
    .option("--json", "print the configuration on one line")
    .action((options: JsonOption) => run((context) => showConfig(options, context)));
  config
    .command("check")
    .description("check the configuration file and its secrets, and list problems by line")
    .option("--json", "print one JSON object per line")
    .action((options: JsonOption) => run((context) => checkConfig(options, context)));
  registerAdd(config.command("add"), run);
  config
    .command("remove")
    .description("remove notifiers from the configuration and from all routes, and delete their saved secrets")
    .argument("<notifier...>", "names of notifiers in the configuration")
    .option("--json", "print one JSON object per line")
    .action((names: string[], options: JsonOption) =>
      run(async (context) => {
        const { runConfigRemove } = await import("./change.ts");
        for (const name of names) await runConfigRemove(name, options, context);
        return 0;
      }),
    );
  const set = config.command("set");
  addExamples(set, {
    "beckon config set attention.quiet 22:00-07:00": "hold messages at night",
    "beckon config set language de": "write messages in German",
    "beckon config set routes.0.when away": "limit the first route",
  });
  set
    .description("change one setting in the configuration file, if the file is then still valid")
    .argument("<path>", "the setting, such as attention.minTurn, notifiers.desk.detail or routes.0.when")
    .argument("<value>", "its new value: a text, or JSON")
    .option("--json", "print one JSON object")
    .action((path: string, value: string, options: JsonOption) =>
      run(async (context) => (await import("./change.ts")).runConfigSet(path, value, options, context)),
    );
  config
    .command("unset")
    .description("remove one setting from the configuration file, so that its default applies")
    .argument("<path>", "the setting, such as attention.minTurn")
    .option("--json", "print one JSON object")
    .action((path: string, options: JsonOption) =>
      run(async (context) => (await import("./change.ts")).runConfigSet(path, undefined, options, context)),
    );
  config
    .command("edit")
    .description("open the configuration file in your editor ($VISUAL or $EDITOR), then check it")
    .action(() => run(runConfigEdit));
  config
    .command("init")
    .description("write a configuration file to start from, with examples in comments")
    .option("--json", "print one JSON object")
    .action((options: JsonOption) => run((context) => runConfigInit(options, context)));
};

/** Declares `config add`. Loads its code only when it runs, so that the other `config` commands start faster. */
const registerAdd: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon config add": "choose a notifier from a list",
    "beckon config add ntfy": "ask for the settings of ntfy",
    "beckon config add slack --secret url < url.txt": "read the webhook address from a file",
    "beckon config add answers": "set up answering requests outside the agent",
    "beckon config add ntfy --name phone --when away": "add ntfy as phone, used only while you are away",
  });
  command
    .description("add a notifier: ask for its settings, test it and save it")
    .argument("[type]", "type of the notifier, such as slack, or answers")
    .option("--name <name>", "name of the notifier in the configuration; default: its type, numbered if taken")
    .option(
      "--set <key=value>",
      "set one of the notifier's settings; a secret must be a reference: ${env:NAME} or ${file:/path}",
      collect,
    )
    .option(
      "--secret <key>",
      "read the secret setting with this name from standard input, one line per --secret",
      collect,
    )
    .option(
      "--kinds <kinds>",
      "notify only about events of these kinds, such as needs-you,failed; default: needs-you,failed,finished",
      (text) => knownList("kinds", kinds, split(text)),
    )
    .option("--projects <globs>", "notify only about events from these projects, such as ~/code/shop/**", wordList)
    .option("--agents <names>", "notify only about events from these agents, separated by commas", (text) =>
      knownList(
        "agents",
        agents.map(({ name }) => name),
        wordList(text).map(resolveAgent),
      ),
    )
    .option("--on <events>", "notify only about these events, such as Stop,SessionEnd", wordList)
    .addOption(
      new Option(
        "--when <where>",
        "notify only while you are away from this machine, or only while you are here",
      ).choices(["away", "here"]),
    )
    .option(
      "--after <duration>",
      "notify only about requests and failures that are still open after this time, such as 5m",
      parseDelay,
    )
    .option("--no-route", "add no route to the notifier, so that it receives nothing yet")
    .option("--alone", "for the first notifier: leave out the default ones, desk and chime, as on a server")
    .option("--no-test", "do not send a test message")
    .option("--force", "save the notifier even if the test fails or its program is missing")
    .option("--json", "print one JSON object and never ask")
    .action((type: string | undefined, flags: Omit<AddOptions, "type">) =>
      run(async (context) => {
        if (type === "answers") return (await import("./add/answers.ts")).runAddAnswers(flags, context);
        const { runConfigAdd } = await import("./add/add.ts");
        return runConfigAdd({ ...flags, ...omitUndefined({ type }) }, context);
      }),
    );
};

const delay = routeSchema().shape.after;

/** Checks a duration and returns it unchanged, as the configuration stores it. */
function parseDelay(text: string): string {
  if (delay.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be a duration such as "5m", from 1 second to 1 day.');
}

function split(text: string): readonly string[] {
  return text.split(",").map((word) => word.trim());
}

function wordList(text: string): readonly string[] {
  const words = split(text);
  if (words.every((word) => word !== "")) return words;
  throw new InvalidArgumentError("Separate the values with commas.");
}

function knownList<Word extends string>(noun: string, known: readonly Word[], words: readonly string[]) {
  if (words.every((word): word is Word => known.some((each) => each === word))) return words;
  throw new InvalidArgumentError(`The ${noun} are ${known.join(", ")}.`);
}

async function showPath({ json }: JsonOption, { paths, print }: CliContext): Promise<number> {
  print(json ? jsonLine({ file: paths.config }) : paths.config);
  return 0;
}

async function showConfig({ json }: JsonOption, { paths, print, printError }: CliContext): Promise<number> {
  const config = await loadConfig(paths.config);
  const shown = await effectiveConfig(config);
  print(json ? jsonLine(shown) : JSON.stringify(shown, null, 2));
  const errors = countErrors(config);
  const parts = errors === 1 ? "1 part of the file is ignored" : `${errors} parts of the file are ignored`;
  const effect = config.findings.includes(lastGoodNote) ? "The last file without an error is shown" : parts;
  if (errors > 0) printError(`${effect} because of errors. Run \`beckon config check\` to see them.`);
  return 0;
}

/** Runs `beckon config check`. Returns exit code 1 for errors, not for warnings. */
async function checkConfig({ json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  const config = await loadConfig(paths.config);
  const { findSecretProblems } = await import("./check-secrets.ts");
  const secretProblems = await findSecretProblems(config, paths.config, createCliPorts(paths).exec);
  const access = configAccessFindings(paths, context.environment.platform);
  const findings = [...config.findings, ...access, ...secretProblems].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
  const exitCode = countErrors({ findings }) > 0 ? 1 : 0;
  if (json) {
    for (const finding of findings) print(jsonLine(finding));
    return exitCode;
  }
  printFindings(findings, context);
  if (findings.some(({ line }) => line !== undefined)) print("To correct the file: beckon config edit");
  const verdict = existsSync(paths.config) ? "no problems found" : "does not exist; the defaults apply";
  const file = shortPath(paths.config, context.environment);
  if (findings.length === 0) print(`${colors.green("✓")} ${file}: ${verdict}`);
  return exitCode;
}

function countErrors({ findings }: Pick<Config, "findings">): number {
  return findings.filter(({ level }) => level === "error").length;
}

/** Runs `beckon config init`. */
async function runConfigInit({ json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, print, environment } = context;
  initConfig(context);
  if (json) print(jsonLine({ file: paths.config, schemaFile: paths.configSchema }));
  else
    print(
      `Wrote ${shortPath(paths.config, environment)}\n` +
        "All its settings are commented out. Edit it, then run `beckon config check`.",
    );
  return 0;
}

/**
 * Writes the configuration, and the JSON schema for completion in editors.
 * @throws {CommandError} if the configuration exists
 */
function initConfig({ paths, environment }: Pick<CliContext, "paths" | "environment">): void {
  requireOwnRoot({ paths });
  mkdirSync(dirname(paths.config), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(paths.config, readTemplate("config.jsonc"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (readErrno(error) !== "EEXIST") throw error;
    throw new CommandError(
      `${shortPath(paths.config, environment)} already exists`,
      "To start over, move it away first.",
    );
  }
  writeFileSync(paths.configSchema, readTemplate("config.schema.json"), { mode: 0o600 });
}

/**
 * Runs `beckon config edit`: opens the configuration in the user's editor and then checks it. If it has errors, offers
 * at a terminal to open it again. Returns exit code 1 if errors are left.
 * @throws {CommandError} if the editor cannot be run
 */
async function runConfigEdit(context: CliContext): Promise<number> {
  const { paths, print, colors, environment } = context;
  requireOwnRoot(context);
  if (!existsSync(paths.config)) initConfig(context);
  for (;;) {
    const exitCode = await openInEditor(paths.config, environment.env);
    if (exitCode !== 0) {
      const why = exitCode === undefined ? "could not be started" : `exited with code ${exitCode}`;
      throw new CommandError(
        `the editor ${why}`,
        `Set $EDITOR to another editor, or edit ${shortPath(paths.config, environment)} yourself.`,
      );
    }
    const { findings } = await loadConfig(paths.config);
    printFindings(findings, context);
    if (findings.length === 0) print(`${colors.green("✓")} no problems found`);
    if (!findings.some(({ level }) => level === "error")) return 0;
    const isAgain = process.stdin.isTTY && context.terminal;
    if (!isAgain || !(await terminalDialog.confirm("Edit again?", true))) return 1;
  }
}

/** Schemas for showing the settings. Routes to disabled notifiers are shown too. */
const schemas = { ...configTable, routes: z.array(routeSchema().extend({ to: z.array(z.string()) })) };

/**
 * Returns the effective configuration in the form of the file: with defaults, unresolved references, and `[secret]` for
 * secrets. Leaves out the parts that errors disabled.
 */
export async function effectiveConfig(config: Config): Promise<Record<string, unknown>> {
  const notifiers = [...config.notifiers].map(([name, configured]) => [name, showNotifierEntry(configured)]);
  const values = { ...config, notifiers: Object.fromEntries(notifiers) };
  const show = (name: SettingName) => {
    const encoded = z.encode(schemas[name] as z.ZodType, values[name]);
    // Each notifier's entry is already formatted with its own schema.
    return name === "notifiers" ? encoded : withoutSecrets(schemas[name], encoded);
  };
  const settings = settingNames.map((name) => [name, show(name)]);
  const configured = Object.keys({ ...config.lookupSettings, ...config.lookupProfiles });
  const sections = configured.map(async (name) => {
    const section = { settings: config.lookupSettings[name], profiles: config.lookupProfiles[name] };
    const lookup = await lookupLoaders[name]?.();
    return [name, lookup ? showLookupSection(lookup, omitUndefined(section)) : {}] as const;
  });
  return Object.fromEntries([...settings, ...(await Promise.all(sections))]);
}
