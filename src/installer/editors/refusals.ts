import { SettingsError } from "../../core/errors.ts";
import { lineAndColumn, type Position } from "../../text/jsonc.ts";

const correctIt = "Correct it by hand, then run this again. Nothing was changed.";

/** The error for a file that is not in its format. */
export function invalid(file: string, format: "JSON" | "TOML", { line, column }: Position, words: string) {
  const problem = `not valid ${format} at line ${line}, column ${column}: ${words}`;
  return new SettingsError(`settings.${format.toLowerCase()}`, file, problem, correctIt);
}

/** The error for something in a file that has another shape than beckon can edit, with its name and its position. */
export function wrongShape(
  { path, text }: { readonly path: string; readonly text: string },
  name: string,
  offset: number,
  problem: string,
): SettingsError {
  const { line, column } = lineAndColumn(text, offset);
  return new SettingsError(
    "settings.shape",
    path,
    `\`${name}\` at line ${line}, column ${column} ${problem}`,
    correctIt,
  );
}

/** The error for an edit that failed its own verification. */
export function unverified(file: string, problem: string): SettingsError {
  const hint = "Nothing was changed. Please report this with the file's layout, and add the entries by hand.";
  return new SettingsError("settings.verify", file, problem, hint);
}
