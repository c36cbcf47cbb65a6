import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunContext } from "../../src/pipeline/context.ts";
import { readState } from "../../src/pipeline/run-state.ts";
import { waitingEntries } from "../../src/spool/claim.ts";
import { entryFile } from "../../src/spool/entry.ts";
import { readRecordFile } from "../../src/spool/list.ts";
import { decodeRecord } from "../../src/spool/record.ts";
import { makeDue } from "../../src/worker/worker-resources.ts";
import { DeliveryWorld, makeConfig, startMs } from "../world/delivery-world.ts";
import { answer, type Behaviour, type HostileServer, startHostileServer } from "../world/hostile-server.ts";

let world: DeliveryWorld;
let server: HostileServer;
beforeEach(() => {
  world = new DeliveryWorld();
});
afterEach(() => server.close());

/** Reads the waiting delivery of the event `old` in the spool. */
function readOld() {
  const entry = waitingEntries(world.spool).find(({ id }) => id === "old") ?? expect.fail("it does not wait");
  const record = decodeRecord(readRecordFile(`${world.spool}/cur/${entryFile(entry)}`) ?? Buffer.alloc(0));
  return (record && readState(record))?.deliveries["hook"] ?? expect.fail("no delivery");
}

/**
 * Plays an event that fails once, and then a success of another event, after which the first event is retried early.
 */
async function releaseOld(behave: Behaviour, prepare: (context: RunContext) => void = () => {}) {
  server = await startHostileServer({ "*": behave });
  const notifiers = { hook: { type: "webhook", url: server.origin } };
  const context = world.worker(await makeConfig({ notifiers, delivery: { retryDelays: ["10m"] } }));
  prepare(context);
  context.backlog.subscribe((id) => makeDue(world.spool, id, world.nowMs));
  world.take("old");
  await world.drain(context);
  world.nowMs += 1_000;
  world.take("new");
  const scheduled = readOld();
  await world.drain(context);
  await world.drain(context);
  return { scheduled };
}

const readId = ({ headers }: { readonly headers: object }) => (headers as Record<string, string>)["webhook-id"];

test("a released attempt that fails keeps its delivery's schedule", async () => {
  const { scheduled } = await releaseOld((request, response) =>
    answer(readId(request) === "new" ? 200 : 503)(request, response),
  );
  expect(server.requests.map(readId)).toEqual(["old", "new", "old"]);
  expect(readOld()).toEqual({ ...scheduled, attempts: 2, releases: 1 });
});

test("a released attempt answered with a pause is due at the end of the pause", async () => {
  let requests = 0;
  await releaseOld((request, response) => {
    requests += 1;
    if (readId(request) === "new") answer(200)(request, response);
    else answer(429, { "retry-after": requests === 1 ? "0" : "90" })(request, response);
  });
  expect(readOld().dueAtMs).toBe(startMs + 91_000);
});

test("a release that a pause postpones costs no attempt", async () => {
  let pause = (): void => {};
  const { scheduled } = await releaseOld(
    (request, response) => {
      if (readId(request) === "new") pause(); // as another attempt may have requested
      answer(readId(request) === "new" ? 200 : 503)(request, response);
    },
    ({ config, pauses }) => {
      const hook = config.notifiers.get("hook") ?? expect.fail("no notifier");
      pause = () => pauses.pause(hook, world.nowMs + 30_000, world.nowMs);
    },
  );
  expect(server.requests.map(readId)).toEqual(["old", "new"]);
  expect(readOld()).toEqual({ ...scheduled, dueAtMs: startMs + 31_000 });
});
