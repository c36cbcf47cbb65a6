import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { launchAsking, type NameServer, startNameServer } from "./name-server.ts";

let home: Home;
let receiver: Receiver;
let nameServer: NameServer;
beforeEach(async () => {
  home = createHome();
  [receiver, nameServer] = await Promise.all([startReceiver(), startNameServer()]);
});
afterEach(async () => {
  await home.remove();
  await Promise.all([receiver.close(), nameServer.close()]);
});

const dead = ["dead-1", "dead-2", "dead-3", "dead-4"];

test("a hanging name server delays and is blamed for its own hosts only, with one query each", async () => {
  const { port } = new URL(receiver.url);
  const at = (host: string) => ({ type: "webhook", url: `http://${host}.test:${port}/in` });
  const notifiers = Object.fromEntries([...dead, "healthy"].map((host) => [host, at(host)]));
  home.writeConfig({ notifiers, lookups: [], delivery: { linger: "60s" } });
  for (const session of ["a", "b", "c", "d"]) {
    await launchAsking(nameServer, home, session);
    await home.until((journal) => journal.some((line) => line.sessionId === session && line.status === "sent"));
  }
  expect(receiver.accepted.map(({ headers }) => headers.host)).toEqual(Array(4).fill(`healthy.test:${port}`));
  expect(nameServer.asked.filter((name) => name.startsWith("dead")).sort()).toEqual(dead.map((host) => `${host}.test`));

  const journal = await home.until((lines) => lines.filter(({ status }) => status === "retrying").length >= 4, 30_000);
  const blamed = journal.filter(({ status }) => status === "retrying");
  expect(new Set(blamed.map(({ notifier, reason }) => `${notifier}: ${reason}`))).toEqual(
    new Set(
      dead.map(
        (host) => `${host}: timeout: http://${host}.test:${port} cannot be reached: looking up its address timed out`,
      ),
    ),
  );
}, 90_000);
