import { cpSync } from "node:fs";
import { describe, test } from "vitest";
import { relayFiles } from "../../src/relay/relay-status.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { askWhileWorkersDie, numbers, pipesTo, untilNotified, useHomes } from "../world/two-homes.ts";

const homes = useHomes();

describe("no event is lost or sent twice, though", () => {
  test.each(["relay:noted", "put:opened", "put:half", "put:written", "put:visible", "relay:received"])(
    "the receiver is killed at %s",
    async (step) => {
      for (const words of numbers(3)) await homes.ask(words);
      await homes.until(() => homes.outbox().length === 3);
      for (let round = 0; round < 3; round += 1) {
        const killed = homes.receive({ BECKON_CRASH_AT: step });
        await homes.until(() => killed.signalCode !== null || homes.outbox().length === 0);
        await homes.end(killed);
      }
      homes.receive();
      await untilNotified(homes, numbers(3));
    },
  );

  test.each(["claimed", "relay:stored", "alert:recorded", "sent", "settle:written", "settled"])(
    "the worker at the edge is killed at %s",
    async (step) => {
      homes.receive();
      await askWhileWorkersDie(homes, step);
      await untilNotified(homes, numbers(4));
    },
  );

  test("the connection breaks again and again", async () => {
    for (const words of numbers(3)) await homes.ask(words);
    homes.receive();
    for (let round = 3; round < 6; round += 1) {
      await homes.until(() => homes.breakConnections());
      await homes.ask(`request ${round}`);
    }
    await untilNotified(homes, numbers(6), 60_000);
  });

  test("it arrives over two connections at once", async () => {
    homes.configureDesk([homes.pipes("devbox"), { via: pipesTo(homes.edge, "nice"), host: "devbox" }]);
    homes.receive();
    for (const words of numbers(12)) await homes.ask(words);
    await untilNotified(homes, numbers(12));
  });

  test("it is resent after it was settled, to a restarted receiver", async () => {
    const { outbox } = relayFiles(homes.edge.paths);
    const kept = freshFolder();
    await homes.ask("once");
    await homes.until(() => homes.outbox().length === 1);
    cpSync(outbox, kept, { recursive: true });
    const first = homes.receive();
    await untilNotified(homes, ["once"]);
    cpSync(kept, outbox, { recursive: true });
    await homes.until(() => homes.outbox().length === 0);
    await homes.end(first);
    cpSync(kept, outbox, { recursive: true });
    homes.receive();
    await untilNotified(homes, ["once"]);
  });
});
