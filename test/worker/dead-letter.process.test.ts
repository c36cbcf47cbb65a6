import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, dist, type Home, run } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

/** A notifier that kills its worker once another has taken the event. */
const killer = `
  import { readdirSync, readFileSync } from "node:fs";
  const folder = process.env.BECKON_HOME + "/journal/";
  const isSent = () => readdirSync(folder).some((file) => readFileSync(folder + file, "utf8").includes('"sent"'));
  export const notifier = {
    async send() {
      while (!isSent()) await new Promise((resolve) => setTimeout(resolve, 10));
      process.kill(process.pid, "SIGKILL");
    },
  };`;
const harmless = "export const notifier = { async send() {} };";

test("an event over which three workers died is retried for those alone who have not got it", async () => {
  const path = join(home.paths.root, "notifier.mjs");
  writeFileSync(path, killer);
  home.writeConfig({
    notifiers: { hook: { type: "webhook", url: receiver.url }, mine: { type: "module", path } },
    lookups: [],
    delivery: { linger: "0s" },
  });
  const stop = JSON.stringify({ hook_event_name: "Stop", session_id: "s", cwd: "/home/dev/shop" });
  const other = JSON.stringify({ hook_event_name: "SubagentStop", session_id: "other", cwd: "/home/dev/shop" });
  await home.launch(["Stop", "--agent", "claude"], stop);
  const isDead = () => home.spooled().some((file) => file.startsWith("dead/"));
  while (!isDead()) await home.launch(["SubagentStop", "--agent", "claude"], other); // wakes a worker if none lives

  writeFileSync(path, harmless);
  const retry = await run(process.execPath, [join(dist, "cli.js"), "retry", "--failed"], "", { env: home.env });
  expect(retry).toMatchObject({ exitCode: 0, stderr: "" });
  await home.until((journal) => journal.some(({ status, notifier }) => status === "sent" && notifier === "mine"));
  await home.until(() => home.spooled().length === 0);
  const lines = home.journal().filter(({ sessionId }) => sessionId === "s");
  expect(lines.map(({ status, notifier = "" }) => `${status} ${notifier}`.trim())).toEqual([
    "accepted",
    "sent hook",
    "sent mine",
  ]);
  expect(receiver.accepted).toHaveLength(1);
});
