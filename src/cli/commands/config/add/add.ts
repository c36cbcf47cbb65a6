import { requireOwnRoot } from "../../../../actions/require-own-root.ts";
import { type RouteConditions, usualKinds } from "../../../../config/edit/edit-config.ts";
import { assertStorable, extractSecrets, store } from "../../../../config/edit/store.ts";
import { loadConfig } from "../../../../config/load.ts";
import { ownFields } from "../../../../config/written-value.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { kinds } from "../../../../core/vocabulary.ts";
import { anyPhoneApp } from "../../../../notifiers/registry.ts";
import type { CliContext } from "../../../context.ts";
import { CancelledError, type Dialog, terminalDialog } from "../../../dialog.ts";
import { jsonLine } from "../../../output/json-line.ts";
import type { AddedNotifier } from "../../../output/setup-outputs.ts";
import { say } from "../../../say.ts";
import { shortPath } from "../../../short-path.ts";
import { type AddArguments, chooseType, collectSettings, loadGuide } from "./ask.ts";
import { tryOnce, tryUntilSettled } from "./try-draft.ts";

/** Options of `config add`. */
export interface AddOptions extends AddArguments {
  /** False skips the test message. */
  readonly test: boolean;
  /** True saves the notifier even if it does not work. */
  readonly force?: boolean;
  /** True leaves out the default notifiers if the configuration has no notifiers yet. */
  readonly alone?: boolean;
  readonly json?: boolean;
}

/** Sources of answers: a dialog at a terminal, and standard input for secrets. */
interface Answers {
  /** Opens the dialog; undefined if standard input or standard output is not a terminal. */
  dialog(): Promise<Dialog | undefined>;
  secretLines(): Promise<readonly string[]>;
}

/**
 * Runs `beckon config add`: collects the settings of a notifier, tests it, and only then writes it into the
 * configuration.
 */
export async function runConfigAdd(
  options: AddOptions,
  context: CliContext,
  answers: Answers = processAnswers(),
): Promise<number> {
  const quiet = options.json ? { ...context, print: () => {} } : context;
  try {
    const added = await addNotifier(options, quiet, answers);
    if (options.json) context.print(jsonLine(added));
    return 0;
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    context.print("Nothing was saved.");
    return 1;
  }
}

async function addNotifier(options: AddOptions, context: CliContext, answers: Answers): Promise<AddedNotifier> {
  const { paths, colors } = context;
  const dialog = options.json ? undefined : await answers.dialog();
  requireOwnRoot(context);
  await assertStorable(paths);
  const notifier = await chooseType(options, dialog);
  const guide = await loadGuide(notifier);
  const config = await loadConfig(paths.config);
  const usualName = options.type === anyPhoneApp ? anyPhoneApp : notifier.name;
  const name = nameFor(options.name, usualName, [...config.notifiers.keys(), ...config.disabled]);
  const lines = options.secret && !dialog ? await answers.secretLines() : [];
  const asking = { notifier, guide, context };
  const answered = await collectSettings({ ...asking, dialog }, options, lines);
  const route = await chooseRoute(notifier, options, config.hasRoutes, dialog);
  const draft = { name, answered, test: options.test, force: options.force === true, json: options.json === true };
  const settings = await (dialog ? tryUntilSettled(draft, { ...asking, dialog }) : tryOnce(draft, asking));
  const safe = extractSecrets(name, notifier, settings, paths);
  const entry = ownFields({ type: notifier.name, ...safe.settings });
  await store({ name, entry, route, isAlone: options.alone === true }, safe.files, paths);
  say(`${colors.green("✓")} added ${name} to ${shortPath(paths.config, context.environment)}`, context);
  for (const { file } of safe.files) say(`  saved its secret to ${shortPath(file, context.environment)}`, context);
  if (route === "none") say(noRoute, context, 2);
  const secretFiles = safe.files.map(({ file }) => file);
  return { name, type: notifier.name, file: paths.config, secretFiles, isRouted: route !== "none" };
}

const noRoute = "  No route leads to it yet, so it receives nothing. To add one: beckon config edit";

function nameFor(chosen: string | undefined, type: string, taken: readonly string[]): string {
  if (chosen !== undefined) {
    if (!/^[\w-]{1,64}$/.test(chosen))
      throw new UsageError(`${chosen} is not a valid name`, "Use at most 64 letters, digits, _ and -.");
    if (taken.includes(chosen))
      throw new UsageError(`a notifier named ${chosen} already exists`, "Choose another --name.");
    return chosen;
  }
  const candidates = [type, ...Array.from({ length: taken.length + 1 }, (_, index) => `${type}-${index + 2}`)];
  return candidates.find((name) => !taken.includes(name)) ?? type;
}

/**
 * Creates the sources of answers: a dialog if standard input and output are terminals, and the lines of standard input
 * for secrets.
 */
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

/** Chooses the conditions of the notifier's route, as in `NewNotifier`. @throws {UsageError | CancelledError} */
async function chooseRoute(
  notifier: Pick<Notifier, "audience" | "at">,
  { route, kinds: chosen, on, agents, projects, when, after }: AddArguments,
  hasRoutes: boolean,
  dialog: Dialog | undefined,
): Promise<RouteConditions | "none" | undefined> {
  const others = omitUndefined<RouteConditions>({ on, agents, projects, when, after });
  const isNarrowed = Object.keys(others).length > 0;
  if (route === false) {
    if (!chosen && !isNarrowed) return "none";
    throw new UsageError(
      "--no-route cannot be used with conditions of a route",
      "Leave out --no-route, or the conditions.",
    );
  }
  if (chosen) return { kinds: chosen, ...others };
  if (dialog) return askForRoute(notifier, others, hasRoutes, dialog);
  return isNarrowed ? { ...(on ? {} : { kinds: usualKinds }), ...others } : undefined;
}

/**
 * Asks which kinds of event the notifier gets. If it reaches the user away from this machine, also asks when to use it,
 * unless the arguments say so.
 * @param others conditions from the arguments
 */
async function askForRoute(
  notifier: Pick<Notifier, "audience" | "at">,
  others: RouteConditions,
  hasRoutes: boolean,
  dialog: Dialog,
): Promise<RouteConditions | undefined> {
  const choices = kinds.map((value) => ({ value }));
  const answer = await dialog.selectMany("Which events should this notifier report?", choices, usualKinds);
  const mayBeElsewhere = notifier.audience === "person" && notifier.at !== "desk" && !others.when && !others.after;
  const moment = mayBeElsewhere
    ? whenConditions[await dialog.select("When should this notifier be used?", whenChoices)]
    : {};
  const conditions = { ...others, ...moment };
  const isUsual = answer.length === usualKinds.length && usualKinds.every((kind) => answer.includes(kind));
  if (isUsual && !hasRoutes && Object.keys(conditions).length === 0) return undefined;
  return { kinds: kinds.filter((kind) => answer.includes(kind)), ...conditions };
}

/** Route conditions for notifiers that reach the user away from this machine, by the user's choice. */
const whenConditions: Readonly<Record<string, RouteConditions>> = {
  always: {},
  away: { when: "away" },
  later: { after: "5m" },
};

const whenChoices = [
  { value: "always", label: "Always" },
  { value: "away", label: "Only when I am away from this machine" },
  { value: "later", label: "Only for requests and failures that are still open after 5 minutes" },
];
