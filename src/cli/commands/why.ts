import { fitRows, fold } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { buildStory } from "../journal/event-story.ts";

/** Declares `beckon why`: shows the history of one event. */
export const registerWhy: RegisterCommand = (command, run) => {
  command
    .argument("<event>", "event id from `beckon log`, or the start of it")
    .action((id: string) => run((context) => runWhy(id, context)));
};

async function runWhy(id: string, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  for (const { title, rows } of await buildStory(id, paths)) {
    for (const line of fold(title, lineCells(context))) print(colors.bold(line));
    for (const line of fitRows(rows, lineCells(context) - 2)) print(`  ${line}`);
  }
  return 0;
}
