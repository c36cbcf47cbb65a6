import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal } from "../../dialog.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";

/** Maximum length of a value that is shown in full, in characters. */
const maxShownChars = 400;

/** A change of a file, on this or another machine, that needs the user's consent. */
export interface PlannedWrite {
  readonly file: string;
  /** Path of the setting in the configuration; undefined if the whole file is written. */
  readonly at?: string;
  /** Value to be written; undefined if it is secret. */
  readonly value?: unknown;
}

/** Formats a change for people, without control characters: `~/.beckon/config.jsonc, notifiers.home: {…}`. */
export function describeWrite(
  { file, at, value }: PlannedWrite,
  { environment }: Pick<CliContext, "environment">,
): string {
  const place = [shortPath(file, environment), at].filter((part) => part !== undefined).join(", ");
  const text = value === undefined ? "credentials" : cleanLine(JSON.stringify(value));
  return `${place}: ${text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text}`;
}

/**
 * Prints the planned writes, and asks for consent. Returns true without asking if `yes` is set, or if standard input or
 * output is not a terminal.
 */
export async function agreesToWrites(
  title: string,
  writes: readonly PlannedWrite[],
  { yes = false }: { readonly yes?: boolean | undefined },
  context: CliContext,
): Promise<boolean> {
  say(title, context);
  for (const write of writes) say(`  ${describeWrite(write, context)}`, context, 4);
  if (yes || !process.stdin.isTTY || !context.terminal) return true;
  const agreed = await askOnTerminal((dialog) => dialog.confirm("Continue?", true), false);
  if (!agreed) context.print("Nothing was changed.");
  return agreed;
}
