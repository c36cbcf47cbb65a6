import { CommandError } from "../../core/errors.ts";
import { silentEvents } from "../../core/vocabulary.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { newestEvents } from "../../journal/read-journal.ts";
import { fold } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { buildStory, describeStory } from "../journal/event-story.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { formatRows } from "../say.ts";

/** Declares `beckon why`: shows the history of one event. */
export const registerWhy: RegisterCommand = (command, run) => {
  command
    .argument("[event]", "event id from `beckon log`, or the start of it; default: the newest event that may notify")
    .option("--json", "print one JSON object")
    .action((id: string | undefined, options: JsonOption) =>
      run((context) => runWhy(id ?? newestId(context), options, context)),
    );
};

/** Finds the newest event in the journal of a kind that may notify. @throws {CommandError} if there is none */
function newestId({ paths }: Pick<CliContext, "paths">): string {
  const isWanted = ({ event = "" }: JournalLine) => !silentEvents.includes(event);
  const [newest] = newestEvents(paths.journal, { limit: 1, isWanted });
  if (newest) return newest.id;
  throw new CommandError("the journal is empty", "No hook has fired yet. If one should have: beckon doctor");
}

async function runWhy(id: string, { json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  if (json) {
    print(jsonLine(await describeStory(id, paths)));
    return 0;
  }
  for (const { title, rows } of await buildStory(id, paths)) {
    for (const line of fold(title, lineCells(context))) print(colors.bold(line));
    for (const line of formatRows(rows, context)) print(line);
  }
  return 0;
}
