import { afterEach, beforeEach, expect, test } from "vitest";
import { runChaos } from "../helpers/chaos.ts";
import { createHome, type Home } from "../helpers/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

test("of 1,000 events none is lost or arrives more than twice, however often the worker is killed", async () => {
  const result = await runChaos(home, { events: 1000, killEveryMs: 200 });
  console.log(
    `${result.kills} kills, ${result.twice} of 2000 deliveries twice, ${Math.round(1e6 / result.tookMs)} events a second`,
  );
  expect(result).toMatchObject({ lost: 0, moreOften: 0 });
  expect(result.kills).toBeGreaterThan(3);
}, 300_000);
