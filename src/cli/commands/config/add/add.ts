import { loadConfig } from "../../../../config/load.ts";
import type { CliContext } from "../../../context.ts";
import { CancelledError, type Dialog, terminalDialog } from "../../../dialog.ts";
import { UsageError } from "../../../errors.ts";
import { requireOwnRoot } from "../../../require-own-root.ts";
import { type AddArguments, chooseKinds, chooseType, collectSettings } from "./ask.ts";
import { assertStorable, extractSecrets, store } from "./store.ts";
import { tryOut } from "./try-out.ts";

/** What `config add` is asked to do. */
export interface AddOptions extends AddArguments {
  /** Whether a test message is sent. */
  readonly test: boolean;
  /** Save the notifier even if it did not work. */
  readonly force?: boolean;
}

/** Where answers come from: a person at a terminal, or standard input for secrets. */
export interface Answers {
  /** Undefined where there is no terminal. */
  dialog(): Promise<Dialog | undefined>;
  secretLines(): Promise<readonly string[]>;
}

/**
 * Runs `beckon config add`: collects the settings of a notifier, tests it, and writes it into the configuration. Writes
 * nothing until all settings are known and the test has passed.
 */
export async function runConfigAdd(
  options: AddOptions,
  context: CliContext,
  answers: Answers = processAnswers(),
): Promise<number> {
  try {
    await addNotifier(options, context, answers);
    return 0;
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    context.print("Nothing was saved.");
    return 1;
  }
}

async function addNotifier(options: AddOptions, context: CliContext, answers: Answers): Promise<void> {
  const { print, paths, colors } = context;
  const dialog = await answers.dialog();
  requireOwnRoot(context);
  await assertStorable(paths);
  const notifier = await chooseType(options, dialog);
  const config = await loadConfig(paths.config);
  const name = nameFor(options.name, notifier.name, [...config.notifiers.keys(), ...config.disabled]);
  const lines = options.secret && !dialog ? await answers.secretLines() : [];
  const settings = await collectSettings(notifier, options, lines, dialog);
  const kinds = await chooseKinds(options, config.hasRoutes, dialog);
  const works = await tryOut(name, { type: notifier.name, ...settings }, options.test, context);
  if (!works && !options.force && !(await dialog?.confirm("It did not work. Save it anyway?", false)))
    throw new CancelledError();
  const safe = extractSecrets(name, notifier, settings, paths);
  await store({ name, entry: { type: notifier.name, ...safe.settings }, kinds }, safe.files, paths);
  print(`${colors.green("✓")} added ${name} to ${paths.config}`);
  for (const { file } of safe.files) print(`  its secret is in ${file}`);
  if (config.hasRoutes && !kinds)
    print("  No route leads to it yet, so it gets nothing: add it to one in that file. (`--kinds` adds a route.)");
}

function nameFor(chosen: string | undefined, type: string, taken: readonly string[]): string {
  if (chosen !== undefined) {
    if (!/^[\w-]{1,64}$/.test(chosen))
      throw new UsageError(`${chosen} is not a valid name`, "Use letters, digits, _ and -, at most 64.");
    if (taken.includes(chosen)) throw new UsageError(`there is already a notifier ${chosen}`, "Choose another --name.");
    return chosen;
  }
  const candidates = [type, ...Array.from({ length: taken.length + 1 }, (_, index) => `${type}-${index + 2}`)];
  return candidates.find((name) => !taken.includes(name)) ?? type;
}

/** The answers of this process's terminal, if it has one; otherwise standard input is read for secrets. */
function processAnswers(): Answers {
  const { stdin, stdout } = process;
  return {
    dialog: async () => (stdin.isTTY && stdout.isTTY ? terminalDialog() : undefined),
    async secretLines() {
      let text = "";
      for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
      return text.split(/\r?\n/);
    },
  };
}
