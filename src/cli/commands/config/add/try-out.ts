import { testNotifier } from "../../../../actions/test-notifier.ts";
import type { Config, ConfiguredNotifier } from "../../../../config/config.ts";
import { parseConfig } from "../../../../config/parse.ts";
import { BeckonError, CommandError, DeliveryError } from "../../../../core/errors.ts";
import { findObstacle } from "../../../../core/notifier.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { redactor } from "../../../../core/redactor.ts";
import { resolveNotifierSettings } from "../../../../pipeline/within-budget.ts";
import type { CliContext } from "../../../context.ts";
import { createCliPorts } from "../../../ports.ts";
import { printProgramOutput } from "../../../say.ts";

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
export async function tryOut(
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
