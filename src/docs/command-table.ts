import type { Argument, Command, Option } from "commander";
import { code, table } from "./markdown.ts";

/** A table of commands, those below a group in its place, with arguments and options. */
export function commandTable(commands: readonly Command[]): string {
  return table(["Command", "Does", "Options"], commands.flatMap(leaves).map(row));
}

/** The commands that do something: this one, or those below it. */
function leaves(command: Command): Command[] {
  return command.commands.length > 0 ? command.commands.flatMap(leaves) : [command];
}

function row(command: Command): string[] {
  const words = [pathOf(command), ...command.registeredArguments.map(argumentText)];
  return [code(words.join(" ")), command.description(), command.options.map(optionText).join("<br>")];
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** `--limit <n>` how many lines (default 50). */
function optionText({ flags, description, argChoices, defaultValue }: Option): string {
  const isShown = defaultValue !== undefined && typeof defaultValue !== "boolean";
  const remarks = [
    ...(argChoices ? [argChoices.map(code).join(", ")] : []),
    ...(isShown ? [`default ${code(String(defaultValue))}`] : []),
  ];
  const remark = remarks.length > 0 ? ` (${remarks.join("; ")})` : "";
  return `${code(flags)} ${description}${remark}`.trim();
}
