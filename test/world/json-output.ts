import * as z from "zod";
import { commandOutputs, serviceOutputs } from "../../scripts/docs/output-types.ts";

/**
 * Parses what a command prints with `--json`, and compares it with the declaration of the command's output. A command
 * that prints one object has a list of one.
 */
export function readOutput(command: string, stdout: string): Record<string, unknown>[] {
  const output = { ...commandOutputs, ...serviceOutputs }[command];
  if (!output) throw new Error(`${command} declares no output`);
  const lines = stdout === "" ? [] : stdout.replace(/\n$/, "").split("\n");
  if (output.form === "object" && lines.length !== 1)
    throw new Error(`${command} printed ${lines.length} lines instead of one object:\n${stdout}`);
  return lines.map((line) => {
    const value = JSON.parse(line);
    const { error } = output.schema.safeParse(value);
    if (error) throw new Error(`${command} printed ${line}:\n${z.prettifyError(error)}`);
    return value;
  });
}

/** Parses the error that a command prints to standard error with `--json`: the last line. */
export function readError(stderr: string): { readonly code: string; readonly message: string; readonly hint?: string } {
  const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
  return z
    .strictObject({ code: z.string().min(1), message: z.string().min(1), hint: z.string().min(1).optional() })
    .parse(error) as { code: string; message: string; hint?: string };
}
