import { expect, test } from "vitest";
import { Groups } from "../../src/attention/groups.ts";
import { FakeClock } from "../world/fake-clock.ts";

test("a group is complete when no event has joined for 100 ms", async () => {
  const clock = new FakeClock();
  const groups = new Groups<string, void>(clock);
  const groupsDone: (readonly string[])[] = [];
  const join = (member: string) => void groups.join("desk", member).then(({ members }) => groupsDone.push(members));
  join("a");
  await clock.advance(99);
  join("b");
  await clock.advance(99);
  expect(groupsDone).toEqual([]);
  await clock.advance(1);
  expect(groupsDone.map((members) => members.join())).toEqual(["a,b", "a,b"]);
});

test("a group that events keep joining gathers for a second at most", async () => {
  const clock = new FakeClock();
  const groups = new Groups<number, void>(clock);
  const first = groups.join("desk", 0);
  for (let member = 1; member <= 12; member += 1) {
    await clock.advance(90);
    void groups.join("desk", member);
  }
  expect((await first).members).toHaveLength(12); // at 0, 90 … 990 ms
});
