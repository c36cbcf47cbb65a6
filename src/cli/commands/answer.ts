import { isDeepStrictEqual } from "node:util";
import type { OpenRequest } from "../../../docs/output.d.ts";
import { giveAnswer, listOpenAsks, requireUser } from "../../actions/answer.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { agentTitle } from "../../agents/registry.ts";
import type { Ask } from "../../answers/ask-files.ts";
import { CommandError, UsageError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type Answer, type AnswerChoice, answerChoices } from "../../core/permission-reply.ts";
import type { Status } from "../../core/vocabulary.ts";
import { createClock } from "../../io/clock.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { describeOutcome } from "../../journal/journal-text.ts";
import { fieldPattern, newestEvents } from "../../journal/read-journal.ts";
import { clean, cleanLine, oneLine } from "../../text/clean.ts";
import { cutCounted } from "../../text/cut.ts";
import { clockTime, shortDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { terminalDialog } from "../dialog.ts";
import { addExamples } from "../options.ts";
import { type JsonOption, jsonLine, toInstant } from "../output/json-line.ts";
import { say } from "../say.ts";

/** Declares `beckon answer`: allows or refuses an agent's permission request. */
export const registerAnswer: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon answer": "list the open requests",
    "beckon answer 4f2a": "show a request and answer it",
    "beckon answer 4f2a deny --reason 'use the staging host'": "deny it, with a reason for the agent",
    "beckon answer 4f2a 1,3": "answer a question with its first and third option",
  });
  command
    .argument("[id]", "id of a request, or the start of it; default: list the open requests")
    .argument("[choice]", "allow, deny, or numbers of options; beckon shows the request and asks you to type it again")
    .option("--reason <text>", "reason that the agent gets if you deny")
    .option("--json", "print the open requests, one JSON object per line")
    .action((id: string | undefined, choice: string | undefined, options: AnswerOptions) =>
      run((context) => runAnswer(id, choice, options, context)),
    );
};

interface AnswerOptions extends JsonOption {
  readonly reason?: string;
}

async function runAnswer(
  id: string | undefined,
  choice: string | undefined,
  { reason, json }: AnswerOptions,
  context: CliContext,
): Promise<number> {
  const { paths, print } = context;
  requireOwnRoot(context);
  if (reason !== undefined && (id === undefined || toPlain(choice ?? "deny") !== "deny"))
    throw new UsageError("--reason only goes with deny", "Use it as in: beckon answer ID deny --reason TEXT");
  const open = listOpenAsks(paths);
  if (json) {
    if (id !== undefined) throw new UsageError("--json only lists the open requests", "To answer one, leave it out.");
    for (const ask of open) print(jsonLine(describeRequest(ask)));
    return 0;
  }
  if (id === undefined) return listOpen(open, context);
  // With a single request, its id is not needed.
  const [only] = open;
  if (choice === undefined && isChoice(toPlain(id)) && only && open.length === 1)
    return runAnswer(only.id, id, omitUndefined({ reason }), context);
  if (choice !== undefined && !isChoice(toPlain(choice)) && !readNumbers(choice))
    throw new UsageError(`unknown answer ${choice}`, "Use allow, deny, or numbers of options: 1,3");
  const clock = createClock();
  requireUser(paths, clock.now());
  const ask = findAsk(open, id, context);
  const answer = await confirmChoice(ask, reason === undefined ? choice : "deny", context);
  if (answer === undefined) {
    const [what, how] = isQuestion(ask) ? ["options or words of your own", "1,3"] : ["words", "deny --reason TEXT"];
    say(`Nothing was answered: no such answer. To send ${what}: beckon answer ${ask.id.slice(0, 8)} ${how}`, context);
    return 1;
  }
  const outcome = await giveAnswer(ask, { ...answer, reason, via: "terminal" }, paths, clock);
  say(outcome.text, context);
  return outcome.isDone ? 0 : 1;
}

function describeRequest({ hash: _, worker: __, atMs, untilMs, ...ask }: Ask): OpenRequest {
  return omitUndefined<OpenRequest>({ ...ask, askedAt: toInstant(atMs), untilAt: toInstant(untilMs) });
}

/** Maximum length of a request in the list, in graphemes. */
const maxRequestGraphemes = 200;

function listOpen(open: readonly Ask[], context: CliContext): number {
  const nowMs = context.now();
  const verbatim = { ...context, nameCommands: undefined }; // a command in a request stays as the agent wrote it
  if (open.length === 0) say("No request is held for you. When and where you may answer: beckon answers", context);
  for (const { id, agent, project, lines, atMs } of open) {
    const text = oneLine(clean(lines.join("\n").replaceAll("\n  » ", "\n")));
    const request = cutCounted(text, maxRequestGraphemes, "graphemes");
    const since = `since ${clockTime(atMs, nowMs)}, for ${shortDuration(nowMs - atMs)}`;
    const who = cleanLine(`${project} · ${agentTitle(agent)} ${since}`);
    say(`${id.slice(0, 8)}  ${who}: ${request}`, verbatim, 2);
  }
  if (open.length > 0) say("To answer one: beckon answer ID", context);
  return 0;
}

function isChoice(word: string): word is AnswerChoice {
  return (answerChoices as readonly string[]).includes(word);
}

/** Returns a choice, numbers or a label without capitals and the full-width forms of Chinese and Japanese keyboards. */
function toPlain(typed: string): string {
  return typed.normalize("NFKC").toLowerCase();
}

/** Reads the numbers of a question's options, as a person types them; undefined for another text. */
function readNumbers(typed: string): readonly string[] | undefined {
  const [numbers] = /^\d{1,2}(?:[,、 ]+\d{1,2})*(?=[,、 ]*$)/.exec(toPlain(typed)) ?? [];
  return numbers?.split(/[,、 ]+/);
}

/** Finds the options, from 1, that typed digits may mean: `3` the third one, or one called `3` or `3 days`. */
function findMeant(digits: string, { options = [] }: Ask): readonly number[] {
  const name = new RegExp(`^\\W*${digits}(?!\\d)`);
  return options.flatMap((label, at) => (at + 1 === Number(digits) || name.test(toPlain(label)) ? [at + 1] : []));
}

/** True for a request that is answered with options or own words. */
function isQuestion({ choices, options }: Ask): boolean {
  return options !== undefined && choices.includes("allow");
}

/** Reads what the user typed as an answer to a request; undefined if the request has no such answer. */
function readAnswer(typed: string, ask: Ask): Pick<Answer, "choice" | "picks" | "text"> | undefined {
  const word = toPlain(typed);
  if (isChoice(word))
    return ask.choices.includes(word) && !(isQuestion(ask) && word === "allow") ? { choice: word } : undefined;
  if (!isQuestion(ask) || typed === "") return undefined;
  const picks = readNumbers(typed)?.map((digits) => findMeant(digits, ask)[0] ?? Number(digits));
  return { choice: "allow", ...(picks ? { picks } : { text: typed }) };
}

/** Says which typed number may mean several options; undefined if none does. */
function explainUnclear(typed: string, ask: Ask): string | undefined {
  const unclear = readNumbers(typed)?.find((digits) => findMeant(digits, ask).length > 1);
  return unclear ? `${unclear} may be an option's place or its name. Give its place as 01, 02 or 03.` : undefined;
}

function findAsk(open: readonly Ask[], id: string, { paths }: CliContext): Ask {
  const found = open.filter((ask) => ask.id.startsWith(id));
  const [ask] = found;
  if (!ask) {
    const isEnd = (line: JournalLine) => line.id.startsWith(id) && endings.includes(line.status);
    const patterns = [fieldPattern("status", endings)];
    const ends = newestEvents(paths.journal, { limit: maxEnded, patterns, isWanted: isEnd }).filter(isEnd);
    // A late answer changed nothing.
    const end = ends.findLast(({ status }) => status !== "late") ?? ends.at(-1);
    if (end)
      throw new CommandError(`request ${id} is no longer open: ${describeOutcome(end)}`, `See: beckon why ${id}`);
    throw new CommandError(`no open request ${id}`, "To list them: beckon answer");
  }
  if (found.length > 1) throw new CommandError(`several open requests start with ${id}`, "Give more of the id.");
  return ask;
}

/** Statuses of requests that are no longer open, and number of these requests that are searched. */
const endings: readonly Status[] = ["answered", "given-up", "late"];
const maxEnded = 50;

/**
 * Pause of one second between showing a request and asking for the answer. The worker refuses to allow a request
 * earlier.
 */
const readingMs = 1_000;

/** Shows the whole request and asks the user to type the answer, or the wanted one again. Undefined if it is none. */
async function confirmChoice(ask: Ask, wanted: string | undefined, context: CliContext) {
  const { agent, cwd, lines, choices, denyOnly } = ask;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new CommandError("an answer needs a terminal", "Run it in a terminal of your own, without a pipe.");
  }
  context.print(cleanLine(`${agent} in ${cwd} asks:`));
  context.print("");
  for (const line of lines) context.print(`  ${clean(line)}`);
  context.print("");
  if (denyOnly !== undefined) say(cleanLine(`You can only deny this here: ${denyOnly}.`), context);
  if (wanted !== undefined && !readAnswer(wanted, ask)) return undefined;
  const unclear = explainUnclear(wanted ?? "", ask);
  if (unclear !== undefined) throw new CommandError("nothing was answered", unclear);
  const usual = isQuestion(ask)
    ? "numbers such as 1,3 (one for each question), deny, or your own words for a single one"
    : choices.join(" or ");
  await createClock().wait(readingMs);
  const check = (text: string) =>
    wanted !== undefined || readAnswer(text.trim(), ask) ? explainUnclear(text.trim(), ask) : `It must be ${usual}.`;
  const typed = await terminalDialog.text(`Type ${wanted ?? usual}`, { secret: false, check });
  const read = readAnswer(typed.trim(), ask);
  return wanted === undefined || isDeepStrictEqual(read, readAnswer(wanted, ask)) ? read : undefined;
}
