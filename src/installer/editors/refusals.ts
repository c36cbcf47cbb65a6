import { SettingsError } from "../../core/errors.ts";
import { lineAndColumn, type Position } from "../../text/jsonc.ts";

const correctByHandHint = "Correct it, then try again. Nothing was changed.";

/** Creates the error for a file with a syntax error. */
export function invalid(file: string, format: "JSON" | "TOML", { line, column }: Position, words: string) {
  const problem = `not valid ${format} at line ${line}, column ${column}: ${words}`;
  return new SettingsError(`settings.${format.toLowerCase()}`, file, problem, correctByHandHint);
}

/** Creates the error for a value whose shape beckon cannot edit, with its name and position. */
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
    correctByHandHint,
  );
}

/** Creates the error for an edit that failed verification. */
export function unverified(file: string, problem: string): SettingsError {
  const hint = "Nothing was changed. Please report this with the file's layout, and add the entries yourself.";
  return new SettingsError("settings.verify", file, problem, hint);
}
