import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtCli } from "../world/cli-home.ts";
import { createHome, type Home, run, sleep } from "../world/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const mine = () => ({ type: "file", path: join(home.paths.root, "messages.txt"), for: "person" });
const configure = (notifiers: object): void =>
  home.writeConfig({ notifiers, attention: { wait: "0s" }, delivery: { linger: "1s" } });
const snooze = (...words: string[]) =>
  run(process.execPath, [builtCli, "snooze", ...words], "", { env: home.env }).then(({ stdout }) => stdout);
const linesOf = (status: string, notifier: string) =>
  home.journal().filter((line) => line.status === status && line.notifier === notifier);

async function ask(): Promise<void> {
  const payload = { hook_event_name: "Notification", session_id: "s-1", cwd: "/home/me/shop", message: "may I push?" };
  await home.launch(["Notification", "--agent", "claude"], JSON.stringify(payload));
}

test("what a snooze holds waits for its new end, and comes at once when it is ended", async () => {
  configure({ mine: mine() });
  await snooze("2h");
  await ask();
  await home.until(() => linesOf("held", "mine").length === 1);
  await snooze("1h");
  const [first, second] = (await home.until(() => linesOf("held", "mine").length === 2)).filter(({ until }) => until);
  expect(Date.parse(first?.until ?? "") - Date.parse(second?.until ?? "")).toBeGreaterThan(3_500_000);
  expect(linesOf("sent", "mine")).toEqual([]);
  expect(await snooze("off")).toBe("The snooze is off: what waited comes now.\n");
  await home.until(() => linesOf("sent", "mine").length === 1);
  expect(home.spooled().filter((file) => file.endsWith(".json"))).toEqual([]);
});

test("what a worker held that was killed since comes when the snooze is ended", async () => {
  configure({ mine: mine() });
  await snooze("2h");
  await ask();
  await home.until(() => home.spooled().some((file) => /^cur\/.*\.t\d+\.json$/.test(file)));
  await home.killWorker();
  await snooze("off");
  await home.until(() => linesOf("sent", "mine").length === 1);
});

test("what is held comes when the snooze is ended while another delivery of the event is under way", async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    answers.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  configure({ mine: mine(), slow: { type: "webhook", url } });
  await snooze("2h", "--notifier", "mine");
  await ask();
  await home.until(() => answers.length === 1);
  await snooze("off");
  await sleep(1_500); // the worker has looked at the spool meanwhile
  answers[0]?.end();
  await home.until(() => linesOf("sent", "mine").length === 1);
  server.close();
});

test("quiet hours that are taken out of the configuration hold nothing any more", async () => {
  const always = [
    { at: "00:00-12:00", hold: ["needs-you"] },
    { at: "12:00-00:00", hold: ["needs-you"] },
  ];
  home.writeConfig({ notifiers: { mine: mine() }, attention: { wait: "0s", quiet: always } });
  await ask();
  await home.until(() => linesOf("held", "mine").length === 1);
  configure({ mine: mine() });
  await home.until(() => linesOf("sent", "mine").length === 1);
});
