import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { resolvePaths } from "../../src/files/paths.ts";
import { readLines } from "../../src/relay/protocol.ts";
import { serve } from "../../src/relay/serve.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

/** Starts one end of a relay over two streams in this process; `said` is its output so far. */
function start() {
  const [input, output, clock] = [new PassThrough(), new PassThrough(), new FakeClock()];
  let hasEnded = false;
  const ended = serve(resolvePaths(freshFolder()), { input, output, clock }).then(() => {
    hasEnded = true;
  });
  const said = (): unknown[] => {
    const text = String(output.read() ?? "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  };
  const say = async (words: object) => {
    input.write(`${JSON.stringify(words)}\n`);
    await clock.advance(0);
  };
  return { clock, input, ended, hasEnded: () => hasEnded, said, say };
}

test("serve begins with this machine's time, so the other side can measure the clock skew", async () => {
  const { clock, input, ended, said } = start();
  await clock.advance(0);
  expect(said()).toMatchObject([{ beckon: 1, nowMs: clock.now() }]);
  input.end();
  await ended;
});

test("a side that is silent for a minute is gone; a ping is answered and restarts the minute", async () => {
  const { clock, ended, hasEnded, said, say } = start();
  await clock.advance(59_000);
  said();
  await say({ ping: 7 });
  expect(said()).toEqual([{ pong: 7 }]);
  await clock.advance(59_999);
  expect(hasEnded()).toBe(false);
  await clock.advance(1);
  await ended;
  expect(clock.nextMs).toBeUndefined();
});

test("other work gets its turn after 256 lines", async () => {
  let [inTurn, most] = [0, 0];
  const newTurn = (): void => {
    inTurn = 0;
    immediate = setImmediate(newTurn);
  };
  let immediate = setImmediate(newTurn);
  let count = 0;
  for await (const _ of readLines(Readable.from([Buffer.from("\n".repeat(2_000))]))) {
    count += 1;
    inTurn += 1;
    most = Math.max(most, inTurn);
  }
  clearImmediate(immediate);
  expect([count, most]).toEqual([2_000, 256]);
});
