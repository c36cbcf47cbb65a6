import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeRecord } from "../../src/spool/record.ts";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "1s" } });
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

function record(session: string, filler = ""): Buffer {
  const payload = {
    hook_event_name: "Stop",
    session_id: session,
    cwd: "/home/dev/shop",
    filler,
  };
  return encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(JSON.stringify(payload)));
}

test("a burst of more bytes than the spool's bound is delivered, none of it evicted", async () => {
  const filler = "x".repeat(100_000);
  for (let number = 0; number < 150; number += 1)
    writeFileSync(join(home.paths.spool, "new", `e${number}.json`), record(`s${number}`, filler));
  await home.launch(
    ["Stop", "--agent", "claude"],
    '{"hook_event_name":"Stop","session_id":"last","cwd":"/home/dev/shop"}',
  );
  const isOver = ({ status }: { status: string }) => status === "sent" || status === "expired";
  const journal = await home.until((lines) => lines.filter(isOver).length >= 151, 60_000);
  expect(journal.filter(({ status }) => status === "expired")).toEqual([]);
}, 90_000);

test("what is evicted from a full spool is journalled, with its event and agent", async () => {
  const dayAgo = Date.now() / 1000 - 86_400;
  for (let number = 0; number < 1002; number += 1) {
    const file = join(home.paths.spool, "cur", `e${number}.t${Date.now() + 3_600_000}.json`);
    writeFileSync(file, record(`s${number}`));
    utimesSync(file, dayAgo + number, dayAgo + number);
  }
  await home.launch(
    ["Stop", "--agent", "claude"],
    '{"hook_event_name":"Stop","session_id":"last","cwd":"/home/dev/shop"}',
  );
  const journal = await home.until((lines) => lines.some(({ status }) => status === "sent"));
  const evicted = journal.filter(({ status }) => status === "expired");
  expect(evicted.slice(0, 2)).toMatchObject([
    { id: "e0", event: "Stop", agent: "claude", reason: "evicted: the spool is full" },
    { id: "e1", event: "Stop", agent: "claude", reason: "evicted: the spool is full" },
  ]);
  expect(home.spooled().filter((file) => /^cur\/.*\.t/.test(file)).length).toBeLessThanOrEqual(1000);
  expect(readFileSync(join(home.paths.spool, home.spooled()[0] ?? ""), "utf8")).toContain('"v":1');
});
