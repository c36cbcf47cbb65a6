import { CommandError } from "../../../../core/errors.ts";
import { CancelledError } from "../../../dialog.ts";
import { say } from "../../../say.ts";
import { changeSetting } from "./ask-settings.ts";
import type { Asker, Settings } from "./asker.ts";
import { printSteps } from "./print-steps.ts";
import { tryOut } from "./try-out.ts";

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
