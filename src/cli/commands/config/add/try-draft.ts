import { testNotifier } from "../../../../actions/test-notifier.ts";
import type { Config, ConfiguredNotifier } from "../../../../config/config.ts";
import { parseConfig } from "../../../../config/parse.ts";
import { BeckonError, CommandError, DeliveryError } from "../../../../core/errors.ts";
import { findObstacle } from "../../../../core/notifier.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { redactor } from "../../../../core/redactor.ts";
import { resolveNotifierSettings } from "../../../../pipeline/within-budget.ts";
import type { CliContext } from "../../../context.ts";
import { CancelledError } from "../../../dialog.ts";
import { createCliPorts } from "../../../ports.ts";
import { printProgramOutput, say } from "../../../say.ts";
import { type Asker, changeSetting, type Settings } from "./ask.ts";
import { printSteps } from "./find-answer.ts";

/** Notifier that is not saved yet. */
interface Draft {
  readonly name: string;
  readonly answered: Settings;
  /** False skips the test message. */
  readonly test: boolean;
  /** True accepts settings that do not work. */
  readonly force: boolean;
  /** True throws the failure as an error, for programs. */
  readonly json: boolean;
}

/**
 * Tries a notifier's settings once, and returns them.
 * @throws {CancelledError | CommandError} if the settings do not work, except with `force`
 */
export async function tryOnce(
  { name, answered, test, force, json }: Draft,
  { notifier, guide, context }: Omit<Asker, "dialog">,
): Promise<Settings> {
  if (guide.lastSteps) printSteps(guide.lastSteps(answered), context);
  const failure = await tryOut(name, { type: notifier.name, ...answered }, test, context);
  if (!failure || force) return answered;
  if (json) throw new CommandError(failure.message, failure.hint ?? "Nothing was saved.");
  throw new CancelledError();
}

/**
 * Tries a notifier's settings, and lets the user change them one at a time, until they work or the user saves them
 * anyway. An app on a phone works if the user says that it rang. Returns the settings to save.
 * @throws {CancelledError}
 */
export async function tryUntilSettled(draft: Draft, asker: Asker): Promise<Settings> {
  let settings = draft.answered;
  if (!(await showSteps(settings, draft, asker))) return settings;
  for (;;) {
    const problem = await findProblem(settings, draft, asker);
    if (problem === undefined) return settings;
    const next = await asker.dialog.select(`${problem}What do you want to do?`, failureChoices);
    if (next === "save") return settings;
    if (next === "drop") throw new CancelledError();
    if (next === "again") continue;
    settings = await changeSetting(settings, asker);
    if (!(await showSteps(settings, draft, asker))) return settings;
  }
}

/**
 * Tries settings. Returns the start of the question about a failure, maybe empty; undefined if there is nothing to ask.
 */
async function findProblem(
  settings: Settings,
  { name, test, force }: Draft,
  { notifier, guide, dialog, context }: Asker,
): Promise<string | undefined> {
  const failure = await tryOut(name, { type: notifier.name, ...settings }, test, context);
  if (failure) return force ? undefined : "The test failed. ";
  if (!test || !guide.ifSilent || (await dialog.confirm("Did your phone ring?", true))) return undefined;
  for (const line of guide.ifSilent) say(`- ${line}`, context, 2);
  return "";
}

/**
 * Prints the steps that are left to do on the phone and, before a test message, asks if they are done. False if the
 * user declines the test message.
 */
async function showSteps(settings: Settings, { test }: Draft, { guide, dialog, context }: Asker): Promise<boolean> {
  if (!guide.lastSteps) return true;
  printSteps(guide.lastSteps(settings), context);
  return !test || dialog.confirm("Done on the phone? Yes sends a test message", true);
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
 */
async function tryOut(
  name: string,
  entry: object,
  test: boolean,
  context: CliContext,
): Promise<TryFailure | undefined> {
  const config = await parseConfig(JSON.stringify({ notifiers: { [name]: entry }, lookups: [] }));
  const configured = config.notifiers.get(name);
  if (!configured) {
    const [first] = config.findings;
    const message = first ? `${first.path}: ${first.message}` : "the settings are not valid";
    throw new CommandError(message, first?.hint ?? "Check its settings.");
  }
  return (await probeReceiver(configured, context)) ?? (test ? await sendTest(config, context) : undefined);
}

async function probeReceiver(
  configured: ConfiguredNotifier,
  { print, colors, paths }: CliContext,
): Promise<TryFailure | undefined> {
  const { notifier } = configured;
  const ports = createCliPorts(paths);
  const secrets: string[] = [];
  try {
    const settings = await resolveNotifierSettings(configured, ports.exec, (found) => secrets.push(...found));
    const call = { settings, ports, signal: AbortSignal.timeout(probeMs) };
    const obstacle = await findObstacle(notifier, call);
    if (obstacle && namesProgram(settings))
      throw new DeliveryError("unsupported", obstacle.message, omitUndefined({ hint: obstacle.hint }));
    if (obstacle) print(`${colors.yellow("!")} ${redactor(secrets)(obstacle.message)}`);
    const { probe, canProbe, probesAddressOnly } = notifier.verification ?? {};
    if (!probe || canProbe?.(settings) === false) return undefined;
    await probe(call);
    const found = probesAddressOnly ? "responds at this address" : "accepts the address and credentials";
    print(`${colors.green("✓")} ${notifier.name} ${found}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof BeckonError)) throw error;
    const message = redactor(secrets)(error.message);
    print(`${colors.red("✗")} ${message}`);
    if (error.hint !== undefined) print(`  ${error.hint}`);
    return { message, hint: error.hint };
  }
}

/**
 * Tells if the settings name a program. If the program is missing, the notifier is not saved. Other problems, such as a
 * missing desktop over SSH, may be solved later.
 */
function namesProgram(settings: Readonly<Record<string, unknown>>): boolean {
  return settings["run"] !== undefined || settings["program"] !== undefined;
}

async function sendTest(config: Config, context: CliContext): Promise<TryFailure | undefined> {
  const { print, colors } = context;
  const [name = ""] = config.notifiers.keys();
  const { verdict, detail, hint, said } = await testNotifier(
    name,
    config,
    createCliPorts(context.paths),
    context.paths,
  );
  const mark = { sent: colors.green("✓"), skipped: colors.yellow("!"), failed: colors.red("✗") }[verdict];
  print(`${mark} test message ${verdict === "failed" ? "not sent" : verdict}: ${detail}`);
  printProgramOutput(said, context);
  if (hint !== undefined) print(`  ${hint}`);
  return verdict === "failed" ? { message: `test message not sent: ${detail}`, hint } : undefined;
}
