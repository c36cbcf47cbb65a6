import { once } from "node:events";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { InvalidArgumentError } from "commander";
import { createBoardActions } from "../../actions/board-actions.ts";
import { readDay, readNow, withTrend } from "../../board/board.ts";
import { type Day, toDay } from "../../board/day.ts";
import { renderFile } from "../../board/page/page.ts";
import { serveBoard } from "../../board/server/serve.ts";
import { loadConfig } from "../../config/load.ts";
import { CommandError, readErrno, UsageError } from "../../core/errors.ts";
import { createClock } from "../../io/clock.ts";
import { openAddress } from "../../io/open-address.ts";
import { isDay } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { buildStory } from "../journal/event-story.ts";
import { addExamples } from "../options.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { say, shortPath } from "../say.ts";
import { writeReportFile } from "./service/report/report-file.ts";

/** Declares `beckon board`: serves or saves a page with the waiting sessions and the day's statistics. */
export const registerBoard: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon board": "serve the page until Ctrl-C, and open it in your browser",
    "beckon board --port 8080": "use the same port every time",
    "beckon board --out monday.html --day 2026-11-23": "save one day to a file",
  });
  command
    .option("--port <n>", "port to serve the page on; default: any free port", port)
    .option("--no-open", "only print the address; by default a browser opens if this is a local desktop terminal")
    .option("--out <file>", "write one day to this HTML file (without scripts) instead of serving the page")
    .option("--team", "also show sessions that are waiting for your teammates, from the shared relay server")
    .option("--day <day>", "day for --out, such as 2026-11-21; default: today", day)
    .option("--json", "print the address or the file as one JSON object")
    .action((options: BoardOptions) => run((context) => runBoard(options, context)));
};

interface BoardOptions extends JsonOption {
  readonly open: boolean;
  readonly port?: number;
  readonly out?: string;
  readonly day?: Day;
  readonly team?: boolean;
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= 65_535) return value;
  throw new InvalidArgumentError("It must be a number from 1 to 65535.");
}

function day(text: string): Day {
  if (isDay(text)) return text;
  throw new InvalidArgumentError("It must be a day such as 2026-11-21.");
}

async function runBoard(options: BoardOptions, context: CliContext): Promise<number> {
  const { out, day, team, json = false } = options;
  if (out === undefined && day !== undefined) {
    throw new UsageError("--day needs --out", "The served page shows every day: use its links or the arrow keys.");
  }
  if (out !== undefined && team) {
    throw new UsageError("--team cannot be combined with --out", "Only the served page shows the team.");
  }
  if (out !== undefined) return write(out, day, json, context);
  return serve(options, context);
}

async function readNotifierNames({ paths }: CliContext): Promise<string[]> {
  const { notifiers, disabled } = await loadConfig(paths.config);
  return [...notifiers.keys(), ...disabled];
}

async function write(out: string, asked: Day | undefined, json: boolean, context: CliContext): Promise<number> {
  const { paths, environment } = context;
  const now = readNow(paths, context.now());
  const report = withTrend(readDay(asked ?? toDay(now.nowMs), paths, now, await readNotifierNames(context)), paths);
  const file = resolve(environment.project, out);
  await writeReportFile(file, renderFile(report, now));
  if (json) context.print(jsonLine({ file, day: report.day }));
  else say(`wrote ${shortPath(file, environment)}`, context, 2);
  return 0;
}

async function serve({ open, port = 0, team: withTeam, json }: BoardOptions, context: CliContext): Promise<number> {
  // Without this, V8 grows its heap by 25 MB when it renders a busy day, and never shrinks it.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { paths, environment, colors } = context;
  const signal = context.interruption();
  const team = withTeam ? await (await import("../team/team.ts")).followTeams(context, signal) : undefined;
  const { listShownAsks } = await import("../../actions/answer.ts");
  const source = {
    paths,
    asks: () => listShownAsks(paths),
    clock: { ...createClock(), now: () => context.now() },
    notifiers: () => readNotifierNames(context),
    story: (id: string) => buildStory(id, paths),
    actions: createBoardActions(paths, createCliPorts(paths), () => context.now()),
    team,
  };
  const board = await serveBoard(source, port).catch((error: unknown) => {
    throw new CommandError(
      `cannot serve on port ${port}: ${readErrno(error) ?? "unknown error"}`,
      "Choose another port, or omit --port to use any free one.",
    );
  });
  context.print(json ? jsonLine({ url: board.url }) : colors.bold(board.url));
  const warning = "Anyone with this address can read your log and act for you while this runs.";
  say(`${warning} Press Ctrl-C to stop.`, { ...context, print: context.printError });
  if (environment.env["SSH_CONNECTION"] !== undefined) {
    const forward = `${new URL(board.url).port}:127.0.0.1:${new URL(board.url).port}`;
    const advice = `You are connected over SSH. To open the page on your own machine, run there: ssh -L ${forward} HOST`;
    say(advice, { ...context, print: context.printError });
  }
  if (open && !json && context.terminal)
    await openAddress(board.createOneTimeUrl(), environment.env, environment.platform);
  if (!signal.aborted) await once(signal, "abort");
  await board.close();
  return 0;
}
