import { join } from "node:path";
import * as z from "zod";
import type { Config, ConfiguredNotifier } from "../../config/config.ts";
import { own } from "../../config/written-value.ts";
import type { Ports, UnprovenProgram } from "../../core/ports.ts";
import { readStateFile, writeStateFile } from "../../files/atomic-file.ts";
import type { Paths } from "../../files/paths.ts";
import type { CliContext } from "../context.ts";
import type { Dialog } from "../dialog.ts";
import { say, shortPath } from "../say.ts";

/** Context for asking about visible notifications. */
interface VisibilityContext extends CliContext, Pick<Dialog, "confirm" | "pressKey"> {
  readonly ports: Ports;
}

/**
 * Lists a notifier's programs that cannot report if their notifications appear, in order of preference. Empty if every
 * program can report that, or if the notifier's settings have an error.
 */
export function unprovenPrograms({ notifier, settings }: ConfiguredNotifier, ports: Ports): readonly UnprovenProgram[] {
  const parsed = notifier.settings.safeParse(settings);
  return (parsed.success && notifier.verification?.visibility?.programs({ settings: parsed.data, ports })) || [];
}

/**
 * Asks if the user saw the message that a notifier has just sent. If not, explains the system's settings, and tries
 * again with the same or the next program. Records the program that works, and saves it in the configuration if it is
 * not the first one that was tried.
 */
export async function confirmVisibility(name: string, config: Config, context: VisibilityContext): Promise<void> {
  const configured = config.notifiers.get(name);
  if (!configured) return;
  const programs = unprovenPrograms(configured, context.ports);
  const setting = configured.notifier.verification?.visibility?.setting ?? "";
  let at = 0;
  while (programs[at] !== undefined) {
    const program = programs[at] as UnprovenProgram;
    if (await context.confirm(`Did you just see a notification from beckon (${name})?`, true)) {
      noteSeen(context.paths, name, program.name);
      if (at > 0) await keepChoice(name, setting, program, context);
      return;
    }
    printSteps(program, context);
    const next = programs[at + 1];
    const other = next ? [{ value: "t", label: `Try ${next.title}` }] : [];
    const choices = [{ value: "a", label: "Show it again" }, ...other, { value: "l", label: "Skip" }];
    const choice = await context.pressKey("What do you want to do?", choices);
    if (choice !== "a" && choice !== "t") break;
    if (choice === "t") at += 1;
    const settings = { ...configured.settings, [setting]: (programs[at] ?? program).name };
    await showAgain({ ...configured, settings }, config, context);
  }
  if (programs.length === 0) return;
  noteSeen(context.paths, name, undefined);
  say(`${context.colors.yellow("!")} ${name} stays unchanged. To try again: beckon test ${name}`, context, 2);
}

function printSteps({ title, steps }: UnprovenProgram, context: VisibilityContext): void {
  say(`beckon sent it through ${title}, which does not report if it appeared. These steps usually help:`, context);
  for (const [index, step] of steps.entries()) say(`  ${index + 1}. ${step}`, context, 5);
}

/** Sends a test message with the current program. */
async function showAgain(configured: ConfiguredNotifier, config: Config, context: VisibilityContext): Promise<void> {
  const { describeTest, sendTest } = await import("../../actions/test-notifier.ts");
  const { result } = await sendTest(configured, config, context.ports);
  if (result.verdict !== "sent") say(`${context.colors.red("✗")} ${describeTest(result)}`, context, 2);
}

async function keepChoice(
  name: string,
  setting: string,
  { name: program }: UnprovenProgram,
  context: VisibilityContext,
): Promise<void> {
  const { paths, environment, colors } = context;
  const [{ editConfig }, { setNotifierSetting }] = await Promise.all([
    import("../../config/edit/store.ts"),
    import("../../config/edit/edit-config.ts"),
  ]);
  await editConfig(paths, (text) =>
    setNotifierSetting(text, paths.config, name, { key: setting, value: own(program) }),
  );
  say(
    `${colors.green("✓")} Set "${setting}": "${program}" for ${name} in ${shortPath(paths.config, environment)}`,
    context,
    2,
  );
}

/**
 * For each notifier, the program whose notifications the user has seen, and the ISO 8601 time at which the user
 * confirmed that.
 */
const seenSchema = z.record(z.string(), z.object({ program: z.string(), at: z.string() }));

const seenFile = ({ state }: Pick<Paths, "state">): string => join(state, "seen-programs.json");

/** Returns the ISO 8601 time at which the user confirmed seeing a program's notifications; undefined if never. */
export function seenAt(paths: Pick<Paths, "state">, notifier: string, program: string): string | undefined {
  const seen = readSeen(paths)[notifier];
  return seen?.program === program ? seen.at : undefined;
}

/** Records that the user sees the notifications of a program. Without a program, records that the user sees none. */
function noteSeen(paths: Pick<Paths, "state">, notifier: string, program: string | undefined): void {
  const { [notifier]: _, ...others } = readSeen(paths);
  const at = new Date().toISOString();
  writeStateFile(seenFile(paths), program === undefined ? others : { ...others, [notifier]: { program, at } });
}

function readSeen(paths: Pick<Paths, "state">): z.output<typeof seenSchema> {
  return readStateFile(seenFile(paths), () => seenSchema, {});
}
