import { fitRows, fold } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { buildStory, describeStory } from "../journal/event-story.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";

/** Declares `beckon why`: shows the history of one event. */
export const registerWhy: RegisterCommand = (command, run) => {
  command
    .argument("<event>", "event id from `beckon log`, or the start of it")
    .option("--json", "print one JSON object")
    .action((id: string, options: JsonOption) => run((context) => runWhy(id, options, context)));
};

async function runWhy(id: string, { json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  if (json) {
    print(jsonLine(await describeStory(id, paths)));
    return 0;
  }
  for (const { title, rows } of await buildStory(id, paths)) {
    for (const line of fold(title, lineCells(context))) print(colors.bold(line));
    for (const line of fitRows(rows, lineCells(context) - 2)) print(`  ${line}`);
  }
  return 0;
}
