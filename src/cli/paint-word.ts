import type { CliContext } from "./context.ts";

/** Colours a word that is a kind or a status. Other words stay unchanged. */
export function paintWord(word: string, colors: CliContext["colors"]): string {
  const paints: Readonly<Record<string, (text: string) => string>> = {
    sent: colors.green,
    failed: colors.red,
    expired: colors.red,
    rejected: colors.red,
    retrying: colors.yellow,
    held: colors.yellow,
    resolved: colors.green,
    answered: colors.green,
    refused: colors.yellow,
    late: colors.yellow,
    foreign: colors.red,
    skipped: colors.dim,
    "needs-you": colors.magenta,
    finished: colors.green,
  };
  return paints[word]?.(word) ?? word;
}
