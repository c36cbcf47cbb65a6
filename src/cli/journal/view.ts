import { groupBy } from "../../core/group-by.ts";
import { findArrival, formatPlace, type JournalLine } from "../../journal/journal-line.ts";
import { describeOutcome, isMomentaryHold, isUnsupported } from "../../journal/journal-text.ts";
import { clean, cleanLine, oneLine } from "../../text/clean.ts";
import { cut, cutCounted, uniqueLengths } from "../../text/cut.ts";
import { localTime, shortDuration } from "../../text/time.ts";
import { rowWithTail, widen } from "../columns.ts";
import { type CliContext, lineCells } from "../context.ts";
import { paintWord } from "../say.ts";

/** Least number of characters shown of an event id; more if ids shown together begin alike. */
export const shownIdChars = 8;

const maxCells = 24;
const maxSummaryCells = 120;
const timeChars = "04:52:23".length;

/** Formats the local time of day of an instant in the journal. */
export function formatTimeOfDay(at: string): string {
  return cleanLine(localTime(at)).slice(-timeChars);
}

/**
 * Creates a function that prints journal lines, event by event in order of time: a line about the event, then a line
 * for each outcome, with the time since the event. If it is called again, columns keep their widths or get wider.
 * @param isComplete true also shows outcomes at notifiers that do not work on this machine
 */
export function journalView(context: Pick<CliContext, "print" | "colors" | "terminal">, isComplete = false) {
  const { print, colors } = context;
  const widths = [timeChars, shownIdChars];
  let day = "";
  let last = { id: "", at: "" };
  return (lines: readonly JournalLine[]): void => {
    const events = groupByEvent(lines);
    const lengths = uniqueLengths(
      events.map(({ first }) => first.id),
      shownIdChars,
    );
    const readHead = (event: ShownEvent) => headCells(event, lengths.get(event.first.id));
    for (const event of events) widen(widths, readHead(event));
    for (const { notifier = "" } of lines) widen(widths, ["", "", shown(notifier)]);
    for (const event of events) {
      const isNew = event.first.id !== last.id;
      if (isNew) last = { id: event.first.id, at: event.at };
      const date = localTime(last.at).slice(0, -timeChars - 1);
      if (date !== day) print(colors.dim(date));
      day = date;
      if (isNew) {
        show(readHead(event), describeSubject(event), (cell, at) =>
          at === 2 ? paintWord(cell, colors) : at < 2 ? colors.dim(cell) : cell,
        );
      }
      for (const line of outcomesIn(event.lines, isComplete)) {
        const cells = [sinceText(last.at, line).padStart(timeChars), shown(line.status), shown(line.notifier ?? "")];
        show(cells, cleanLine(describeOutcome(line)), (cell, column) =>
          column === 1 ? paintWord(cell, colors) : cell,
        );
      }
    }
  };

  function show(cells: readonly string[], tail: string, paint: (cell: string, column: number) => string): void {
    for (const line of rowWithTail([cells, widths], clean(tail), lineCells(context), paint)) print(line);
  }
}

/**
 * Groups the lines by event, in the order of the events' arrival. Returns each event's first line, its lines in order of
 * time, and the time of its arrival.
 */
function groupByEvent(lines: readonly JournalLine[]) {
  const compare = (a: { readonly at: string }, b: { readonly at: string }) => (a.at < b.at ? -1 : Number(a.at > b.at));
  const events = [...groupBy(lines.toSorted(compare), ({ id }) => id).values()];
  return events
    .flatMap((own) => own.slice(0, 1).map((first) => ({ first, lines: own, at: findArrival(own) })))
    .sort(compare);
}

type ShownEvent = ReturnType<typeof groupByEvent>[number];

/** Formats time, id, kind, agent and project, with the name of another machine. */
function headCells({ first, at }: ShownEvent, idChars = shownIdChars): string[] {
  const { id, kind = "", agent = "" } = first;
  return [formatTimeOfDay(at), cleanLine(id).slice(0, idChars), ...[kind, agent, formatPlace(first)].map(shown)];
}

/** Cleans and cuts a text from the journal, because other programs may have written to the journal. */
function shown(text: string): string {
  return cut(cleanLine(text), maxCells, "graphemes");
}

/** Describes an event by its summary. Adds the event's name if the kind does not tell enough. */
function describeSubject({ first, lines }: ShownEvent): string {
  const { summary } = lines.find((line) => line.summary !== undefined) ?? {};
  const quote = summary === undefined ? "" : `"${cutCounted(oneLine(clean(summary)), maxSummaryCells, "graphemes")}"`;
  const name = first.kind === undefined || first.kind === "info" ? cleanLine(first.event ?? "") : undefined;
  return [name, quote].filter(Boolean).join(" ");
}

/**
 * Selects the outcomes to show. Leaves out notifiers that do not work on this machine, short waits that have ended, and,
 * unless it has a remark, the line that the event was accepted. If that leaves no line, shows all.
 */
function outcomesIn(event: readonly JournalLine[], isComplete: boolean): readonly JournalLine[] {
  const useless = isComplete ? [] : event.filter(isUnsupported).map(({ notifier }) => notifier);
  const possible = event.filter(({ notifier }) => notifier === undefined || !useless.includes(notifier));
  const notable = (possible.some(({ notifier }) => notifier !== undefined) ? possible : event).filter(
    ({ status, reason }) => status !== "accepted" || reason !== undefined,
  );
  const lasting = notable.filter((line) => !isMomentaryHold(line) || notable.at(-1) === line);
  return lasting.length > 0 ? lasting : event;
}

/** Formats the time from an event to an outcome as `+3 s`; empty below a second. */
function sinceText(start: string, { at, status, waitedMs }: JournalLine): string {
  const ms = status === "resolved" && waitedMs !== undefined ? waitedMs : Date.parse(at) - Date.parse(start);
  return ms >= 1_000 ? `+${shortDuration(ms)}` : "";
}
