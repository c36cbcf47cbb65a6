import { readOpenAsks } from "../src/answers/ask-files.ts";
import { askedPayload, createAskingHome, startAgent, startBoard } from "../test/world/asking-agent.ts";
import { sleep } from "../test/world/home.ts";
import { type Measure, median, quantile } from "./table.ts";

const presses = Number(process.env["ROUNDS"] ?? 25);
/** Time after which a request may be allowed. */
const readingMs = 1_100;

/** Measures the time from a press on the board, over loopback, until the waiting hook has printed the answer and ended. */
export const measureAnswers: Measure = async () => {
  const home = createAskingHome();
  const board = await startBoard(home);
  const tookMs: number[] = [];
  try {
    for (let number = 1; number <= presses; number += 1) {
      const payload = askedPayload({ tool: "Bash", input: { command: `echo ${number}` }, sessionId: `s${number}` });
      const agent = startAgent(home, payload);
      let [ask] = readOpenAsks(home.paths);
      for (; !ask; [ask] = readOpenAsks(home.paths)) await sleep(20);
      await sleep(readingMs);
      const beganAtMs = performance.now();
      const [{ printed }] = await Promise.all([agent.end, board.press(ask, number % 2 === 0 ? "allow" : "deny")]);
      tookMs.push(performance.now() - beganAtMs);
      if (!printed.includes(number % 2 === 0 ? '"allow"' : '"deny"')) throw new Error(`no answer: ${printed}`);
      while (readOpenAsks(home.paths).length > 0) await sleep(20);
    }
  } finally {
    board.stop();
    await home.remove();
  }
  return [
    ["from a press to the hook's end, ms", median(tookMs), 600],
    ["from a press to the hook's end, 95 % of presses, ms", quantile(tookMs, 0.95), 1_000],
    ["from a press to the hook's end, slowest, ms", Math.max(...tookMs)],
  ];
};
