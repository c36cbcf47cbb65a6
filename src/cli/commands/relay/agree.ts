import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal } from "../../dialog.ts";
import { say } from "../../say.ts";
import { shortPath } from "../../short-path.ts";

/** Longest text of a value that is shown in full, in characters. */
const shownChars = 400;

/** A change of a file, here or on another machine, that needs the user's consent. */
export interface PlannedWrite {
  readonly file: string;
  /** Place in the configuration; undefined for a file that is written as a whole. */
  readonly at?: string;
  /** Undefined for a file whose content is secret. */
  readonly value?: unknown;
}

/** Formats a change for people, without control characters: `~/.beckon/config.jsonc, notifiers.home: {…}`. */
export function describeWrite(
  { file, at, value }: PlannedWrite,
  { environment }: Pick<CliContext, "environment">,
): string {
  const place = [shortPath(file, environment), at].filter((part) => part !== undefined).join(", ");
  const text = value === undefined ? "credentials" : cleanLine(JSON.stringify(value));
  return `${place}: ${text.length > shownChars ? `${text.slice(0, shownChars)}…` : text}`;
}

/**
 * Prints what is going to be written, and asks at a terminal whether to go on. Without a terminal, as in a pipeline of
 * the user's, the printed list is all.
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
  const agreed = await askOnTerminal((dialog) => dialog.confirm("Go on?", true), false);
  if (!agreed) context.print("Nothing was changed.");
  return agreed;
}
