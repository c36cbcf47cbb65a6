import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProcess } from "../../src/core/process-table.ts";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { createHome, type Home } from "../world/home.ts";
import { hangWorker } from "./hang.ts";

let home: Home;
let gate: Gate;
beforeEach(() => {
  home = createHome();
  gate = createGate(home.paths.root);
  home.writeConfig({ notifiers: { mine: gate.notifier }, lookups: [], delivery: { linger: "5s" } });
});
afterEach(async () => {
  gate.open();
  await home.remove();
});

const stop = (session: string) =>
  JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
const launch = (session: string) => home.launch(["Stop", "--agent", "claude"], stop(session));

function store(session: string): void {
  put(home.paths.spool, session, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(stop(session))));
}

/** Has a worker with two messages under way and three that wait for these. Resolves to its process number. */
async function busyWorker(): Promise<number> {
  for (const session of ["a", "b", "c", "d"]) store(session);
  await launch("e");
  const isJudged = () => home.journal().filter(({ status }) => status === "accepted").length === 5;
  await home.until(() => isJudged() && gate.kindsBegun().length === 2);
  return home.workerPid() ?? 0;
}

const sent = () => home.journal().filter(({ status }) => status === "sent");

test("a worker whose program was replaced leaves what waits to its successor", async () => {
  const before = await busyWorker();
  utimesSync(home.paths.worker, 1, 1);
  const returned = () => readdirSync(join(home.paths.spool, "cur")).filter((file) => /\.t\d+\.json$/.test(file));
  await home.until(() => returned().length === 3);
  expect(home.workerPid()).toBe(before);
  expect(gate.kindsBegun()).toHaveLength(2);
  gate.open();
  await home.until(() => sent().length === 5 && home.spooled().length === 0);
  expect(gate.kindsBegun()).toHaveLength(5);
  expect(home.workerPid()).not.toBe(before);
});

test("a worker that has lost its lock while it hung sends nothing that waited", async () => {
  await busyWorker();
  const hung = hangWorker(home);
  for (let number = 0; number < 16; number += 1) store(`later-${number}`);
  await launch("last");
  await home.until(() => home.workerPid() !== hung && gate.kindsBegun().length > 2);
  gate.open();
  await home.until(() => sent().length === 22 && home.spooled().length === 0);
  expect(gate.kindsBegun()).toHaveLength(24);
  process.kill(hung, "SIGCONT");
  await home.until(() => findProcess(hung) === undefined);
  // The two whose program the hung worker had started were sent twice, and no other.
  expect(gate.kindsBegun()).toHaveLength(24);
  expect(sent().length).toBeLessThanOrEqual(24);
});
