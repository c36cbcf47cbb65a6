import { setTimeout as sleep } from "node:timers/promises";
import { readOpenAsks } from "../../src/answers/ask-files.ts";
import { type AskedCall, askedPayload, type BoardProcess, startAgent, startBoard } from "../world/asking-agent.ts";
import type { Home } from "../world/home.ts";

/** Counts of a run. Forged: allowed although nobody pressed Allow. */
export interface KillResult {
  readonly asks: number;
  readonly kills: number;
  readonly allowed: number;
  readonly denied: number;
  readonly leftToAgent: number;
  readonly forged: number;
  readonly foreign: number;
  readonly leftOpen: number;
  readonly slowestMs: number;
}

/** Calls of agents: permissions, questions and plans, each with its number at the end of the first line. */
const calls: readonly ((number: number) => AskedCall)[] = [
  (number) => ({ tool: "Bash", input: { command: `echo ${number}` } }),
  (number) => ({
    tool: "AskUserQuestion",
    input: { questions: [{ question: `Number ${number}`, options: [{ label: "Yes" }] }] },
  }),
  (number) => ({ tool: "ExitPlanMode", input: { plan: `Plan ${number}` } }),
];

/** Requests of a round. One worker is killed after the first half, and one after the second half. */
const perRound = 10;
/** Latest time of a kill after the requests, milliseconds. */
const maxKillMs = 3_000;
/** Time from seeing a request to the press, milliseconds. Nothing is allowed within a second. */
const readableMs = { allow: 1_100, deny: 100 } as const;

/**
 * Has agents ask while the user answers every second request on the board, and workers are killed, earlier or later in
 * each round. Waits until each hook has ended.
 */
export async function askWhileKilling(home: Home, asks: number): Promise<KillResult> {
  const board = await startBoard(home);
  const printed: string[] = [];
  const tookMs: number[] = [];
  const pressed = new Set<number>();
  let kills = 0;
  const ask = async (number: number) => {
    const call = calls[number % calls.length]?.(number) ?? { tool: "", input: {} };
    const wait = call.tool === "Bash" ? "--ask 60" : "--form 60";
    const end = await startAgent(home, askedPayload({ ...call, sessionId: `s${number}` }), wait).end;
    printed[number] = end.printed;
    tookMs.push(end.tookMs);
  };
  try {
    for (let first = 0; first < asks; first += perRound) {
      const numbers = Array.from({ length: Math.min(perRound, asks - first) }, (_, index) => first + index);
      const half = Math.ceil(numbers.length / 2);
      const answering = new AbortController();
      const answers = answerEvens(home, board, pressed, answering.signal);
      const early = numbers.slice(0, half).map(ask);
      await sleep((first * 370) % maxKillMs);
      await home.killWorker();
      const late = numbers.slice(half).map(ask);
      await sleep(((first * 530) % maxKillMs) + readableMs.allow);
      await home.killWorker();
      kills += 2;
      await Promise.all([...early, ...late]);
      answering.abort();
      await answers;
    }
    // A last worker cleans up.
    await startAgent(home, askedPayload({ tool: "Bash", input: { command: "echo last" }, sessionId: "last" }), 5).end;
    const journal = await home.until((lines) =>
      lines.some(({ sessionId, status }) => sessionId === "last" && status === "given-up"),
    );
    const allowed = printed.flatMap((text, number) => (text.includes('"behavior":"allow"') ? [number] : []));
    return {
      asks: printed.length,
      kills,
      allowed: allowed.length,
      denied: printed.filter((text) => text.includes('"deny"')).length,
      leftToAgent: printed.filter((text) => text === "").length,
      forged: allowed.filter((number) => !pressed.has(number)).length,
      foreign: journal.filter(({ status }) => status === "foreign").length,
      leftOpen: readOpenAsks(home.paths).length,
      slowestMs: Math.max(...tookMs),
    };
  } finally {
    board.stop();
  }
}

/** Presses Allow or Deny for each open request with an even number, once it has been readable. */
async function answerEvens(
  { paths }: Home,
  board: BoardProcess,
  pressed: Set<number>,
  signal: AbortSignal,
): Promise<void> {
  const dueAtMs = new Map<string, number>();
  while (!signal.aborted) {
    for (const ask of readOpenAsks(paths)) {
      const [line = ""] = ask.lines;
      const number = Number(/\d+$/.exec(line)?.[0]);
      const choice = number % 4 === 0 ? "allow" : "deny";
      const due = dueAtMs.get(ask.id) ?? performance.now() + readableMs[choice];
      dueAtMs.set(ask.id, due);
      if (number % 2 !== 0 || performance.now() < due) continue;
      dueAtMs.set(ask.id, Number.POSITIVE_INFINITY);
      if (choice === "allow") pressed.add(number);
      void board.press(ask, choice === "allow" && ask.options ? 1 : choice).catch(() => {});
    }
    await sleep(50);
  }
}
