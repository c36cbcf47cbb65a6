import { beforeEach, describe, expect, test } from "vitest";
import { readRelayStatus } from "../../src/relay/relay-status.ts";
import { askWhileWorkersDie, numbers, untilNotified, useHomes } from "../world/two-homes.ts";
import { freshServer, type NatsServer } from "./nats-server.ts";

/** Maximum time to wait. A failed delivery is retried after growing pauses. */
const patienceMs = 120_000;

let server: NatsServer;
const homes = useHomes();
beforeEach(async () => {
  server = await freshServer();
  homes.configureEdge(await server.edge("ci-7", ["alice"]));
  homes.configureDesk([await server.source("alice")]);
});

describe("no event is lost or sent twice, though", { timeout: 3 * patienceMs }, () => {
  test.each(["relay:noted", "put:half", "relay:received"])("the receiver is killed at %s", async (step) => {
    for (const words of numbers(3)) await homes.ask(words);
    await homes.until(async () => (await server.waiting()) === 3);
    for (let round = 0; round < 2; round += 1) {
      const killed = homes.receive({ BECKON_CRASH_AT: step });
      await homes.until(() => killed.signalCode !== null || homes.words().length === 3, patienceMs);
      await homes.end(killed, "SIGKILL");
    }
    homes.receive();
    await untilNotified(homes, numbers(3), patienceMs);
    await homes.until(async () => (await server.waiting()) === 0, patienceMs);
  });

  test.each(["claimed", "relay:stored", "alert:recorded", "sent", "settle:written", "settled"])(
    "the worker at the edge is killed at %s",
    async (step) => {
      homes.receive();
      await askWhileWorkersDie(homes, step);
      await untilNotified(homes, numbers(4), patienceMs);
    },
  );

  test("the server is killed again and again", async () => {
    homes.receive();
    for (let round = 0; round < 3; round += 1) {
      for (const words of numbers(4 * round + 4).slice(4 * round)) void homes.ask(words);
      await homes.until(() => homes.words().length > 4 * round, patienceMs);
      await server.signal("SIGKILL");
      await homes.until(() => readRelayStatus(homes.desk.paths, Date.now())?.links[0]?.state !== "connected");
      await server.start();
    }
    await untilNotified(homes, numbers(12), patienceMs);
  });

  test("the server is suspended until a delivery has failed", async () => {
    homes.receive();
    for (const words of numbers(3)) await homes.ask(words);
    await server.signal("SIGSTOP");
    for (const words of numbers(6).slice(3)) await homes.ask(words);
    await homes.until(() => homes.edgeJournal().some(({ status }) => status === "retrying"), patienceMs);
    await server.signal("SIGCONT");
    await untilNotified(homes, numbers(6), patienceMs);
  });

  test("the stream is full for a while", async () => {
    await server.limit(4);
    for (const words of numbers(6)) await homes.ask(words);
    await homes.until(() => homes.edgeJournal().some(({ reason = "" }) => /too many events wait/.test(reason)));
    expect(await server.waiting()).toBe(4);
    homes.receive();
    await untilNotified(homes, numbers(6), patienceMs);
  });
});

describe("credentials", { timeout: 2 * patienceMs }, () => {
  test("a machine with revoked credentials keeps its events until it has new ones", async () => {
    homes.receive();
    await homes.ask("request 0");
    await untilNotified(homes, ["request 0"]);
    await server.revoke((user) => user.role === "machine");
    await homes.ask("request 1");
    await homes.until(() => homes.edgeJournal().some(({ reason = "" }) => /^auth/.test(reason)), patienceMs);
    expect(homes.edgeJournal().findLast(({ reason }) => reason !== undefined)?.reason).toMatch(/revoked, or expired/);
    homes.configureEdge(await server.edge("ci-7", ["alice"]));
    await homes.beckon(homes.edge, "retry", "--failed");
    await untilNotified(homes, numbers(2), patienceMs);
  });

  test("a receiver with revoked credentials says so, and sent events wait", async () => {
    await server.revoke((user) => user.role === "person");
    await homes.ask("request 0");
    homes.receive();
    const status = async () => (await homes.beckon(homes.desk, "relay", "status")).stdout;
    await homes.until(async () => /revoked, or expired/.test(await status()));
    homes.configureDesk([await server.source("alice")]);
    await untilNotified(homes, ["request 0"], patienceMs);
  });
});
