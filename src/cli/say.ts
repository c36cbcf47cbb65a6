import { join } from "node:path";
import type { Finding } from "../config/config.ts";
import { shellWord } from "../installer/agents/command-line.ts";
import { fitRows, fold } from "./columns.ts";
import { type CliContext, lineCells } from "./context.ts";

/** Prints a text, folded between words to the terminal's width. Indents each line but the first by `indent` spaces. */
export function say(text: string, context: Pick<CliContext, "print" | "terminal" | "nameCommands">, indent = 0): void {
  context.print(foldText(text, context, indent).join("\n"));
}

/** Folds a text as `fold` does, with the commands in it named as they work here, which makes them longer. */
export function foldText(
  text: string,
  context: Pick<CliContext, "terminal" | "nameCommands">,
  indent = 0,
  cells = lineCells(context),
): string[] {
  return fold(context.nameCommands?.(text) ?? text, cells, indent);
}

/** Formats a table for people as `fitRows` does, indented by two spaces. */
export function formatRows(
  rows: readonly (readonly string[])[],
  context: Pick<CliContext, "terminal">,
  paint?: (cell: string, column: number) => string,
): string[] {
  return fitRows(rows, lineCells(context) - 2, paint).map((line) => `  ${line}`);
}

/** Prints the output of a user's program or module, if any, with a bar before each line. */
export function printProgramOutput(
  said: string | undefined,
  { print, colors }: Pick<CliContext, "print" | "colors">,
): void {
  for (const line of said?.split("\n") ?? []) print(colors.dim(`  | ${line}`));
}

/** Shortens a path for people: `~` for the home folder. */
export function shortPath(path: string, { home }: Pick<CliContext["environment"], "home">): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Shortens and quotes a path as a word of a POSIX shell line. Leaves `~` outside the quotes, so that it expands. */
export function shellPath(path: string, environment: Pick<CliContext["environment"], "home">): string {
  const short = shortPath(path, environment);
  if (short === "~") return short;
  return short.startsWith("~/") ? `~/${shellWord(short.slice(2))}` : shellWord(short);
}

/** Returns what makes a command act on this home, with a space at the end; empty for the usual one, and on Windows. */
export function homePrefix({ paths, environment }: Pick<CliContext, "paths" | "environment">): string {
  const isUsual = environment.platform === "win32" || paths.root === join(environment.home, ".beckon");
  return isUsual ? "" : `BECKON_HOME=${shellPath(paths.root, environment)} `;
}

/** Shortens every path in a text for people. Do not use this for commands, because `~` does not expand in quotes. */
export function shortPaths(text: string, { home }: Pick<CliContext["environment"], "home">): string {
  return text.replaceAll(`${home}/`, (found, at: number) => (/[\w/.-]/.test(text[at - 1] ?? "") ? found : "~/"));
}

/** Kinds and statuses by their colour. */
const painted = {
  green: ["sent", "resolved", "answered", "finished"],
  yellow: ["retrying", "held", "refused", "late"],
  red: ["failed", "expired", "rejected", "foreign"],
  magenta: ["needs-you"],
  dim: ["skipped"],
} as const;

/** Colours a word that is a kind or a status. Other words stay unchanged. */
export function paintWord(word: string, colors: CliContext["colors"]): string {
  const [color] = Object.entries(painted).find(([, words]) => (words as readonly string[]).includes(word)) ?? [];
  return color === undefined ? word : colors[color as keyof typeof painted](word);
}

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
  return [...painted, ...(hint === undefined ? [] : foldText(hint, context, 0, cells - 2).map((part) => `  ${part}`))];
}
