import { expect, test } from "vitest";
import { useHome } from "../world/use-home.ts";
import { runChaos } from "./chaos.ts";

const home = useHome();

const title = "of 1,000 events none is lost and none arrives more than twice, however often the worker is killed";
// Not retried: the findings depend on chance, and no fault may ever happen.
test(title, { retry: 0, timeout: 300_000 }, async () => {
  const result = await runChaos(home, { events: 1000, killEveryMs: 200 });
  console.log(
    `${result.kills} kills, ${result.twice} of 2000 deliveries twice, ${result.moreOften} more often, ${Math.round(1e6 / result.tookMs)} events a second`,
  );
  expect(result.lost).toBe(0);
  // A kill between a send and its journal line costs a repeat.
  expect(result.moreOften).toBe(0);
  expect(result.kills).toBeGreaterThan(3);
});
