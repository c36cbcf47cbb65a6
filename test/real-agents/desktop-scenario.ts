import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { readJournal } from "../../src/journal/read-journal.ts";
import { home } from "./agents/agent.ts";
import type { Session } from "./session.ts";
import { until } from "./terminal.ts";
import { type AppendedLine, watchFiles } from "./watch-files.ts";

const transcripts = "/home/out/transcripts.jsonl";
const journalFolder = join(home, ".beckon", "journal");
/** Delay from the answer to the end of a request's notification, milliseconds. */
const goneMs = 1_000;

const requestLines = (): JournalLine[] => readJournal(journalFolder, 2).filter(({ kind }) => kind === "needs-you");

/**
 * Plays an agent that works for a while and then asks to run a command, three times: unwatched, with its pane in front,
 * and with another pane in front. Every fault becomes a trouble of the session.
 */
export async function playOnDesktop(session: Session): Promise<void> {
  const tookMs: number[] = [];
  watchFiles(join(home, session.agent.sessions), transcripts);
  tookMs.push(await rungAndTakenBack(session));

  await session.desktop.openWindow();
  await expectFocus(session, true);
  await notRung(session);

  session.terminal.openOtherPane();
  await expectFocus(session, false);
  tookMs.push(await rungAndTakenBack(session));

  writeFileSync("/home/out/desktop.json", JSON.stringify({ tookMs }));
  expect(session, Math.min(...tookMs) < goneMs, `bubbles were gone only ${tookMs.join(" and ")} ms after the answer`);
}

/**
 * Checks that a request rings after the wait, and that its notification disappears after the answer. Returns the delay,
 * milliseconds.
 */
async function rungAndTakenBack(session: Session): Promise<number> {
  await session.desktop.clear();
  const id = await ask(session);
  if (!(await until(() => findAtMs(id, "sent") !== undefined, 20))) session.stuck("the request did not ring");
  const heldUntil = findLines(id).find(({ status }) => status === "held")?.until;
  const isAfterWait = heldUntil !== undefined && (findAtMs(id, "sent") ?? 0) >= Date.parse(heldUntil);
  expect(session, isAfterWait, `it rang before its wait was over: ${heldUntil}`);
  const shown = await session.desktop.bubbles();
  expect(session, shown === 1, `a request was ${shown} bubbles`);
  await sleep(2_500); // past the request's own line in the transcript
  const answeredAtMs = await answer(session);
  if (!(await until(() => findAtMs(id, "withdrawn") !== undefined, 20))) session.stuck("the bubble was not withdrawn");
  const left = await session.desktop.bubbles();
  expect(session, left === 0, `${left} bubbles were left of a request that was answered`);
  return (findAtMs(id, "withdrawn") ?? Number.POSITIVE_INFINITY) - answeredAtMs;
}

/** Checks that a request in the front pane does not ring, as the user is present and answers. */
async function notRung(session: Session): Promise<void> {
  await session.desktop.clear();
  const id = await ask(session);
  const isHeld = () => findLines(id).some(({ reason }) => reason === "you were looking at that terminal");
  if (!(await until(isHeld, 10))) session.stuck("a request in front was not held back");
  await answer(session);
  await until(() => findAtMs(id, "resolved") !== undefined, 20);
  expect(session, findAtMs(id, "sent") === undefined, "a request in front rang");
  const shown = await session.desktop.bubbles();
  expect(session, shown === 0, `${shown} bubbles were shown of a request in front`);
}

/** Has the agent work for a while and ask. Returns the id of its request. */
async function ask(session: Session): Promise<string> {
  const known = new Set(requestLines().map(({ id }) => id));
  const isNew = () => requestLines().some(({ id }) => !known.has(id));
  await session.say("LATESHELL");
  await session.shows(session.agent.asksPermission);
  if (!(await until(isNew, 20))) session.stuck("the request did not come in");
  return requestLines().find(({ id }) => !known.has(id))?.id ?? "";
}

/** Allows the request. Returns the first time of its result in the agent's transcript, Unix milliseconds. */
async function answer(session: Session): Promise<number> {
  const known = resultTimes().length;
  await session.press(...(session.agent.allow ?? ["Enter"]));
  const answeredAtMs = () => resultTimes()[known];
  if (!(await until(() => answeredAtMs() !== undefined, 20))) session.stuck("the transcript never had the result");
  await session.shows(/The command ran/);
  return answeredAtMs() ?? Number.NaN;
}

/** Lists the times at which results of the agent's calls first appeared in its transcript, Unix milliseconds. */
function resultTimes(): number[] {
  if (!existsSync(transcripts)) return [];
  const lines = readFileSync(transcripts, "utf8").split("\n").slice(0, -1);
  return lines.filter((line) => line.includes('"tool_result"')).map((line) => (JSON.parse(line) as AppendedLine).atMs);
}

function findLines(id: string): JournalLine[] {
  return requestLines().filter((line) => line.id === id && (line.notifier ?? "desk") === "desk");
}

function findAtMs(id: string, status: JournalLine["status"]): number | undefined {
  const line = findLines(id).find((candidate) => candidate.status === status);
  return line && Date.parse(line.at);
}

async function expectFocus(session: Session, expected: boolean): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await session.desktop.isFocused(session.terminal.pid)) === expected) return;
    await sleep(250);
  }
  session.stuck(`the agent's pane was ${expected ? "never" : "always"} in front`);
}

function expect(session: Session, isSo: boolean, otherwise: string): void {
  if (!isSo) session.troubles.push(otherwise);
}
