import type { Finding } from "../config/config.ts";
import { fold } from "./columns.ts";
import { type CliContext, lineCells } from "./context.ts";
import { shortPath } from "./say.ts";

/**
 * Prints findings, each with its hint below it.
 * @param indent prefix of every line
 */
export function printFindings(findings: readonly Finding[], context: CliContext, indent = ""): void {
  for (const line of findings.flatMap((finding) => findingLines(finding, context))) context.print(indent + line);
}

/**
 * Formats a finding as `file:line:column level path: message`, with its hint below. If the output is not a terminal,
 * the file's path is absolute, for editors that parse such lines.
 */
function findingLines({ level, path, line, column, message, hint }: Finding, context: CliContext): string[] {
  const { paths, colors, environment } = context;
  const cells = lineCells(context);
  const file = context.terminal ? shortPath(paths.config, environment) : paths.config;
  const position = [file, line, column].filter((part) => part !== undefined).join(":");
  const paint = level === "error" ? colors.red : colors.yellow;
  const text = fold(`${position} ${level} ${path === "" ? "" : `${path}: `}${message}`, cells, 2);
  const painted = text.map((part) => part.replace(` ${level} `, ` ${paint(level)} `));
  return [...painted, ...(hint === undefined ? [] : fold(hint, cells - 2).map((part) => `  ${part}`))];
}
