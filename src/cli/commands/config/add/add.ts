import { loadConfig } from "../../../../config/load.ts";
import type { CliContext } from "../../../context.ts";
import { UsageError } from "../../../errors.ts";
import { chooseKinds, chooseType, collectSettings, type Given } from "./ask.ts";
import { type Dialog, terminalDialog } from "./dialog.ts";
import { assertStorable, keepSecrets, store } from "./store.ts";
import { tryOut } from "./try-out.ts";

export interface ConfigAddOptions extends Given {
  /** Whether a test message is sent. */
  readonly test: boolean;
  /** Written even if it did not work. */
  readonly force?: boolean;
}

/** Where answers come from: somebody at a terminal, or standard input for secrets. */
export interface Answers {
  dialog(): Promise<Dialog | undefined>;
  secretLines(): Promise<readonly string[]>;
}

/**
 * `beckon config add`: one more notifier, asked for, tried out, and written into the configuration. Nothing is written
 * before all is known and has worked.
 */
export async function runConfigAdd(
  options: ConfigAddOptions,
  context: CliContext,
  answers: Answers = processAnswers(),
): Promise<number> {
  const { print, paths, colors } = context;
  const dialog = await answers.dialog();
  const stopped = (): number => {
    print("Nothing was written.");
    return 1;
  };
  await assertStorable(paths);
  const notifier = await chooseType(options, dialog);
  if (!notifier) return stopped();
  const config = await loadConfig(paths.config);
  const taken = [...config.notifiers.keys(), ...config.disabled];
  const name = nameFor(options.name, notifier.name, taken);
  const lines = options.secretKeys.length > 0 && !dialog ? await answers.secretLines() : [];
  const settings = await collectSettings(notifier, options, lines, dialog);
  if (!settings) return stopped();
  const kinds = await chooseKinds(options, config.hasRoutes, dialog);
  if (kinds === null) return stopped();
  const works = await tryOut(name, { type: notifier.name, ...settings }, options.test, context);
  if (!works && !options.force && !(await dialog?.confirm("It did not work. Write it anyway?", false)))
    return stopped();
  const kept = keepSecrets(name, notifier, settings, paths);
  await store({ name, entry: { type: notifier.name, ...kept.settings }, kinds }, kept.files, paths);
  print(`${colors.green("✓")} ${name} is in ${paths.config}`);
  for (const { file } of kept.files) print(`  its secret is in ${file}`);
  if (config.hasRoutes && !kinds)
    print("  No route leads to it yet: add it to one in the file. `--kinds` would have made one.");
  return 0;
}

function nameFor(given: string | undefined, type: string, taken: readonly string[]): string {
  if (given !== undefined) {
    if (!/^[\w-]{1,64}$/.test(given))
      throw new UsageError(`${given} is no name`, "Letters, digits, _ and -, at most 64.");
    if (taken.includes(given)) throw new UsageError(`there is a notifier ${given} already`, "Give another --name.");
    return given;
  }
  const candidates = [type, ...Array.from({ length: taken.length + 1 }, (_, index) => `${type}-${index + 2}`)];
  return candidates.find((name) => !taken.includes(name)) ?? type;
}

/** The terminal's, where there is one; a program's pipe is read for secrets alone. */
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
