import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "200ms" } });
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

const stop = '{"hook_event_name":"Stop","session_id":"s1","cwd":"/home/dev/shop"}';
const launch = () => home.launch(["Stop", "--agent", "claude"], stop);

test("whatever else is in its folders, a worker delivers, leaves it there, and leaves in time", async () => {
  const { spool, state, journal, lock, starting } = home.paths;
  const odd = ["new/pipe.json", "cur/pipe.t5.json", "new/folder.json", "new/link.json", "new/newer.json"];
  execFileSync("mkfifo", [join(spool, "new/pipe.json"), join(spool, "cur/pipe.t5.json")]);
  mkdirSync(join(spool, "new/folder.json"));
  symlinkSync("/dev/zero", join(spool, "new/link.json"));
  writeFileSync(join(spool, "new/newer.json"), '{"v":99,"event":"Stop"}\n{}\n{"end":0}\n');
  const month = `${new Date().toISOString().slice(0, 7)}.jsonl`;
  const files = ["recent.json", "pauses.json", "broken.json", "findings"].map((file) => join(state, file));
  for (const folder of [...files, join(journal, month), lock, starting]) mkdirSync(folder, { recursive: true });
  await launch();
  await expect.poll(() => receiver.accepted.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => home.spooled().sort(), { timeout: 20_000 }).toEqual(odd.sort());
  await expect.poll(() => home.workerPid(), { timeout: 20_000 }).toBeUndefined();
});

test("a torn record among the events is rejected, becomes a dead letter, and holds nothing up", async () => {
  writeFileSync(join(home.paths.spool, "new/torn.json"), '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_ev');
  await launch();
  await expect.poll(() => receiver.accepted.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => home.spooled(), { timeout: 20_000 }).toEqual(["dead/torn.json"]);
  const [rejected, ...others] = home.journal().filter(({ id }) => id === "torn");
  expect(rejected).toMatchObject({ status: "rejected", reason: "input.torn: not a whole spool record" });
  expect(others).toEqual([]);
});
