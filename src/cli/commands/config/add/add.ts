import type { ConfigAdd } from "../../../../../docs/output.d.ts";
import { type Ability, assessNotifier } from "../../../../actions/assess-notifiers.ts";
import { requireOwnRoot } from "../../../../actions/require-own-root.ts";
import { describeTest, testNotifier } from "../../../../actions/test-notifier.ts";
import type { Config } from "../../../../config/config.ts";
import { defaultKinds, defaultNotifiers } from "../../../../config/defaults.ts";
import { addNotifier, type RouteConditions } from "../../../../config/edit/edit-config.ts";
import { assertStorable, editConfig, extractSecrets } from "../../../../config/edit/store.ts";
import { loadConfig } from "../../../../config/load.ts";
import { parseConfig } from "../../../../config/parse.ts";
import { ownFields } from "../../../../config/written-value.ts";
import { BeckonError, CommandError, UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import type { Ports } from "../../../../core/ports.ts";
import { redactor } from "../../../../core/redactor.ts";
import { kinds } from "../../../../core/vocabulary.ts";
import { writePrivateFile } from "../../../../files/atomic-file.ts";
import { resolveNotifierSettings } from "../../../../pipeline/within-budget.ts";
import type { CliContext } from "../../../context.ts";
import { type Dialog, findDialog } from "../../../dialog.ts";
import { sayIfCancelled } from "../../../errors.ts";
import { type JsonOption, jsonLine } from "../../../output/json-line.ts";
import { createCliPorts } from "../../../ports.ts";
import { printProgramOutput, say, shortPath } from "../../../say.ts";
import { refuseNewProblem } from "../change.ts";
import {
  type AddArguments,
  changeSetting,
  chooseType,
  collectSettings,
  type NotifierSetup,
  type Settings,
} from "./ask.ts";
import { printSteps } from "./find-answer.ts";

/** Options of `config add`. */
export interface AddOptions extends AddArguments, JsonOption {
  /** False skips the test message. */
  readonly test: boolean;
  /** True saves the notifier even if it does not work. */
  readonly force?: boolean;
  /** True leaves out the default notifiers if the configuration has no notifiers yet. */
  readonly alone?: boolean;
}

/** Sources of answers: a dialog at a terminal, and standard input for secrets. */
interface Answers {
  /** Undefined if standard input or standard output is not a terminal. */
  readonly dialog: Dialog | undefined;
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
  const nothing = "Nothing was saved.";
  const added = await sayIfCancelled(
    () => setUpNotifier(options, quiet, answers),
    context,
    () => nothing,
  );
  if (!added) context.print(nothing);
  else if (options.json) context.print(jsonLine(added));
  return added ? 0 : 1;
}

/** Returns undefined if the notifier does not work and is not to be saved. */
async function setUpNotifier(
  options: AddOptions,
  context: CliContext,
  answers: Answers,
): Promise<ConfigAdd | undefined> {
  const { paths, colors } = context;
  const dialog = options.json ? undefined : answers.dialog;
  requireOwnRoot(context);
  await assertStorable(paths);
  const config = await loadConfig(paths.config);
  const taken = [...config.notifiers.keys(), ...config.disabled];
  const isMeant = async (usual: string): Promise<boolean> => {
    const isSame = (name: string): boolean => config.notifiers.get(name)?.notifier.name === usual;
    const standard = options.alone ? undefined : Object.keys(defaultNotifiers).find(isSame);
    const twin = taken.includes(usual) ? usual : standard;
    if (options.name !== undefined || twin === undefined) return true;
    const type = config.notifiers.get(twin)?.notifier.name;
    say(`${twin}${type ? ` (${type})` : ""} already exists. To try it: beckon test ${twin}`, context);
    const question = `Add another one, named ${nameFor(undefined, usual, taken)}? For another name: --name`;
    return !dialog || dialog.confirm(question, false);
  };
  if (options.type !== undefined && !(await isMeant(options.type))) return undefined;
  const notifier = await chooseType(options, dialog);
  if (options.type === undefined && !(await isMeant(notifier.name))) return undefined;
  const guide = (await notifier.guide?.()) ?? { where: {} };
  const name = nameFor(options.name, options.type ?? notifier.name, taken);
  const lines = options.secret && !dialog ? await answers.secretLines() : [];
  const asker = { notifier, guide, context, dialog };
  const answered = await collectSettings(asker, options, lines);
  const route = await chooseRoute(notifier, options, config.hasRoutes, dialog);
  const settings = await tryUntilSettled(name, answered, options, asker);
  if (!settings) return undefined;
  const safe = extractSecrets(name, notifier, settings, paths);
  const entry = ownFields({ type: notifier.name, ...safe.settings });
  const added = { name, entry, route, isAlone: options.alone === true };
  await editConfig(
    paths,
    (text) => addNotifier(text, paths.config, added),
    async (after) => {
      refuseNewProblem((await parseConfig(after)).findings, config.findings);
      for (const { file, text } of safe.files) writePrivateFile(file, text);
    },
  );
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

/** Creates the sources of answers on this process's terminal, or else its standard input. */
function processAnswers(): Answers {
  return {
    dialog: findDialog(),
    async secretLines() {
      let text = "";
      for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
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
  return isNarrowed ? { ...(on ? {} : { kinds: defaultKinds }), ...others } : undefined;
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
  const answer = await dialog.selectMany("Which events should this notifier report?", choices, defaultKinds);
  const mayBeElsewhere = notifier.audience === "person" && notifier.at !== "desk" && !others.when && !others.after;
  const moment = mayBeElsewhere
    ? whenConditions[await dialog.select("When should this notifier be used?", whenChoices)]
    : {};
  const conditions = { ...others, ...moment };
  const isUsual = answer.length === defaultKinds.length && defaultKinds.every((kind) => answer.includes(kind));
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

/**
 * Tries a notifier's settings, once or, in a dialog, until they work or the user saves them anyway. An app on a phone
 * works if the user says that it rang. Returns the settings to save; undefined to drop them.
 * @throws {CancelledError}
 */
async function tryUntilSettled(
  name: string,
  answered: Settings,
  options: AddOptions,
  { dialog, ...setup }: NotifierSetup,
): Promise<Settings | undefined> {
  const { notifier, context } = setup;
  const { test } = options;
  let settings = answered;
  if (!(await showSteps(name, settings, test, { ...setup, dialog }))) return settings;
  for (;;) {
    const failure = await tryOut(name, { type: notifier.name, ...settings }, options, context);
    if (failure ? options.force : !(await isSilent(test, { ...setup, dialog }))) return settings;
    if (!dialog) return undefined;
    const next = await dialog.select(`${failure ? "The test failed. " : ""}What do you want to do?`, failureChoices);
    if (next === "save") return settings;
    if (next === "drop") return undefined;
    if (next === "again") continue;
    settings = await changeSetting(settings, { ...setup, dialog });
    if (!(await showSteps(name, settings, test, { ...setup, dialog }))) return settings;
  }
}

/** Asks if the phone rang, if a dialog is there and the test message went to one. If not, prints what may help. */
async function isSilent(test: boolean, { guide, dialog, context }: NotifierSetup): Promise<boolean> {
  if (!test || !dialog || !guide.ifSilent || (await dialog.confirm("Did your phone ring?", true))) return false;
  for (const line of guide.ifSilent) say(`- ${line}`, context, 2);
  return true;
}

/**
 * Prints the steps that are left to do on the phone and, before a test message, asks if they are done. False if the
 * user declines the test message.
 */
async function showSteps(name: string, settings: Settings, test: boolean, setup: NotifierSetup): Promise<boolean> {
  const { guide, dialog, context } = setup;
  if (!guide.lastSteps) return true;
  printSteps(guide.lastSteps(settings), context);
  if (!test || !dialog || (await dialog.confirm("Done on the phone? Yes sends a test message", true))) return true;
  say(`Not tested. To test it later: beckon test ${name}`, context);
  return false;
}

const failureChoices = [
  { value: "change", label: "Change a setting and try again" },
  { value: "again", label: "Try again" },
  { value: "save", label: "Save anyway" },
  { value: "drop", label: "Cancel" },
];

const probeMs = 15_000;

/** Reason why a notifier does not work. */
interface TryFailure {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * Checks the settings with the receiver, if the notifier supports that. Then, unless `test` is false, sends a test
 * message. Prints the results.
 * @returns the failure; undefined if everything worked
 * @throws {CommandError} for a failure if the output is for a program, unless `force` is set
 */
async function tryOut(
  name: string,
  entry: object,
  { test, force, json }: AddOptions,
  context: CliContext,
): Promise<TryFailure | undefined> {
  const config = await parseConfig(JSON.stringify({ notifiers: { [name]: entry }, lookups: [] }));
  if (!config.notifiers.has(name)) {
    const [first] = config.findings;
    const message = first ? `${first.path}: ${first.message}` : "the settings are not valid";
    throw new CommandError(message, first?.hint ?? "Check its settings.");
  }
  const { paths } = context;
  const ports = createCliPorts(paths);
  const ability = await assessNotifier(name, config, { paths, ports, runsCommands: true });
  const refused = await probeReceiver(ability, test, ports, context);
  const failure = refused ?? (test ? await sendTest(ability, config, ports, context) : undefined);
  if (failure && json && !force) throw new CommandError(failure.message, failure.hint ?? "Nothing was saved.");
  return failure;
}

async function probeReceiver(
  { configured, verdict, reason = "", cure }: Ability,
  test: boolean,
  ports: Ports,
  context: CliContext,
): Promise<TryFailure | undefined> {
  const { print, colors } = context;
  if (!configured) return undefined;
  const { notifier, settings } = configured;
  // Without its program, a notifier is not saved. Other lacks, such as of a desktop over SSH, may be solved later.
  const namesProgram = settings["run"] !== undefined || settings["program"] !== undefined;
  if (verdict === "unset" || (verdict === "unable" && namesProgram)) return refuse(reason, cure, context);
  // A test message says itself what is missing.
  if (verdict === "limited" && !test) say(`${colors.yellow("!")} ${reason}. ${cure}`, context, 2);
  if (verdict === "unable") say(`${colors.yellow("!")} ${reason}`, context, 2);
  const { probe, canProbe, probesAddressOnly } = notifier.verification ?? {};
  if (!probe) return undefined;
  const secrets: string[] = [];
  try {
    const resolved = await resolveNotifierSettings(configured, ports.exec, (found) => secrets.push(...found));
    if (canProbe?.(resolved) === false) return undefined;
    await probe({ settings: resolved, ports, signal: AbortSignal.timeout(probeMs) });
    const found = probesAddressOnly ? "responds at this address" : "accepts the address and credentials";
    print(`${colors.green("✓")} ${notifier.name} ${found}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof BeckonError)) throw error;
    return refuse(redactor(secrets)(error.message), error.hint, context);
  }
}

/** Prints why settings do not work, and returns it. */
function refuse(message: string, hint: string | undefined, context: CliContext): TryFailure {
  say(`${context.colors.red("✗")} ${message}`, context, 2);
  if (hint !== undefined) say(`  ${hint}`, context, 2);
  return { message, hint };
}

async function sendTest(
  ability: Ability,
  config: Config,
  ports: Ports,
  context: CliContext,
): Promise<TryFailure | undefined> {
  const { colors, paths } = context;
  const result = await testNotifier(ability, config, ports, paths);
  const { verdict, hint, said } = result;
  const detail = describeTest(result);
  const sent = hint === undefined ? colors.green("✓") : colors.yellow("!");
  const mark = { sent, skipped: colors.yellow("!"), failed: colors.red("✗") }[verdict];
  say(`${mark} test message ${verdict === "failed" ? "not sent" : verdict}: ${detail}`, context, 2);
  printProgramOutput(said, context);
  if (hint !== undefined) say(`  ${hint}`, context, 2);
  return verdict === "failed" ? { message: `test message not sent: ${detail}`, hint } : undefined;
}
