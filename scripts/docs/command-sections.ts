import type { Argument, Command, Option } from "commander";
import { code } from "./markdown.ts";

/** Flags that many commands take, explained in docs/commands.md above their sections. */
const sharedFlags = [
  "--json",
  "--yes",
  "--dry-run",
  "--diff",
  "--since <day>",
  "--until <day>",
  "--profile <name>",
  "--verbose",
];

/**
 * Matches the command of an operation of the service API. The command's options are the operation's parameters,
 * explained in docs/service-api.md.
 */
const operation = /^service \S+ \S+$/;

/**
 * Writes a section for each command: usage, description, arguments and options. For a group, writes sections for its
 * commands instead.
 */
export function commandSections(commands: readonly Command[]): string {
  return commands.flatMap(listLeaves).map(section).join("\n\n");
}

function listLeaves(command: Command): Command[] {
  return command.commands.length > 0 ? command.commands.flatMap(listLeaves) : [command];
}

function section(command: Command): string {
  const path = pathTo(command);
  const usage = [path, ...command.registeredArguments.map(argumentText)].join(" ");
  const options = operation.test(path) ? [] : command.options.filter(({ flags }) => !sharedFlags.includes(flags));
  const plain = options.filter(isSelfExplanatory).map(({ flags }) => code(flags));
  const items = [
    ...command.registeredArguments
      .filter((argument) => !isSelfExplanatory(argument))
      .map((argument) => `- ${code(argument.name())}: ${argument.description}`),
    ...options.filter((option) => !isSelfExplanatory(option)).map(optionText),
    ...(plain.length > 0 ? [`- ${plain.join(", ")}`] : []),
  ];
  return [`### ${code(usage)}`, sentence(command.description()), items.join("\n")].filter(Boolean).join("\n\n");
}

/** Tells if a description is so short that it says little more than the name. */
function isSelfExplanatory({
  description,
  argChoices = [],
}: Pick<Argument | Option, "description" | "argChoices">): boolean {
  return description.split(" ").length <= 4 && argChoices.length === 0;
}

function pathTo(command: Command): string {
  return command.parent?.parent ? `${pathTo(command.parent)} ${command.name()}` : command.name();
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/** Formats a list item such as "`--limit <n>`: maximum number of events to show (default `50`)". */
function optionText({ flags, description, argChoices, defaultValue }: Option): string {
  const remarks = [
    ...(argChoices ? [argChoices.map(code).join(", ")] : []),
    ...(defaultValue !== undefined && typeof defaultValue !== "boolean"
      ? [`default ${code(String(defaultValue))}`]
      : []),
  ];
  return `- ${code(flags)}: ${[description, remarks.length > 0 && `(${remarks.join("; ")})`].filter(Boolean).join(" ")}`;
}
