import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { decodeRecord, type SpoolRecord } from "../../../src/spool/record.ts";
import { repository } from "../../world/home.ts";
import { assertSilent, type Check, isRoot, makeStop, telling, untilSent } from "./check.ts";
import type { Machine } from "./machine.ts";

const fixtures = join(repository, "test", "fixtures", "payloads", "claude");

/**
 * Maximum duration of a hook whose input stays open. The launcher reads for two seconds, the entrypoint for one second;
 * the rest is for a busy machine.
 */
const maxOpenSeconds = 5;

/** Fires a hook without a worker. Returns the stored record. */
async function storedBy(machine: Machine, input: string | Buffer): Promise<SpoolRecord> {
  assertSilent(await machine.fire("Stop", input));
  const [name, ...more] = machine.home.spooled();
  assert.ok(name && more.length === 0, `${machine.home.spooled().length} records`);
  const file = join(machine.home.paths.spool, name);
  const bytes = readFileSync(file);
  rmSync(file);
  const record = decodeRecord(bytes);
  assert.ok(record, `no whole record: ${bytes.subarray(0, 200).toString()}`);
  return record;
}

/** Runs an action while the worker's program is elsewhere, so that stored events stay in place. */
async function withoutWorker(machine: Machine, action: () => Promise<unknown>): Promise<void> {
  await machine.startAfresh(telling(machine));
  const { worker } = machine.home.paths;
  renameSync(worker, `${worker}.away`);
  try {
    await action();
  } finally {
    renameSync(`${worker}.away`, worker);
  }
}

/** Checks of a hook's standard input. */
export const inputChecks: readonly Check[] = [
  {
    name: "hooks are silent and store every sample byte for byte",
    run: async (machine) => {
      // Under Wine a hook takes a second.
      const samples = readdirSync(fixtures).filter((_, index) => isRoot(machine) || index % 8 === 0);
      await withoutWorker(machine, async () => {
        for (const sample of samples) {
          const input = readFileSync(join(fixtures, sample));
          const { payload, end, header } = await storedBy(machine, input);
          assert.equal(payload.toString(), input.toString(), sample);
          assert.deepEqual([end, header.event, header.agent], [0, "Stop", "claude"], sample);
        }
      });
      return `${samples.length} samples`;
    },
  },
  {
    name: "bytes other than text are stored unchanged",
    isFor: isRoot,
    run: (machine) =>
      withoutWorker(machine, async () => {
        const every = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));
        assert.deepEqual((await storedBy(machine, every)).payload, every);
      }),
  },
  {
    name: "1.5 MiB do not stop a hook, and the reader hears of the excess",
    async run(machine) {
      await machine.startAfresh(telling(machine));
      assertSilent(await machine.fire("Stop", JSON.stringify({ text: "x".repeat(1.5 * 1024 * 1024) })));
      const [line] = await machine.home.until((journal) => journal.length > 0);
      assert.equal(`${line?.status} ${line?.summary}`, "accepted An answer too large to show");
    },
  },
  {
    name: "empty input is the event of the command line, in its folder",
    async run(machine) {
      await machine.startAfresh(telling(machine));
      const cwd = join(machine.userHome, process.platform === "win32" ? "we 'ird & größer" : 'we"ird \\ größer');
      mkdirSync(cwd, { recursive: true });
      assertSilent(await machine.fire("Stop", "", { cwd }));
      const [line] = await machine.home.until((journal) => journal.length > 0);
      const { status, event, agent, project } = line ?? {};
      const expected = { status: "accepted", event: "Stop", agent: "claude", project: cwd.split(/[\\/](?! )/).at(-1) };
      assert.deepEqual({ status, event, agent, project }, expected);
    },
  },
  {
    name: "standard input that is never closed does not delay a hook",
    async run(machine) {
      await machine.startAfresh(telling(machine));
      const whole = await machine.fire("Stop", makeStop("open"), { keepOpen: true });
      assertSilent(whole);
      await untilSent(machine, ["open"]);
      const nothing = await machine.fire("Stop", "", { keepOpen: true });
      assertSilent(nothing);
      await machine.home.until((journal) => journal.some(({ reason }) => reason?.startsWith("input.timeout")));
      const seconds = [whole, nothing].map(({ tookMs }) => tookMs / 1000);
      assert.ok(Math.max(...seconds) < maxOpenSeconds, `${seconds.join(" s, ")} s`);
      return seconds.map((second) => `${second.toFixed(1)} s`).join(", ");
    },
  },
  {
    name: "an event in pieces is stored as one",
    run: (machine) =>
      withoutWorker(machine, async () => {
        const input = makeStop("x".repeat(200_000));
        assert.equal((await storedBy(machine, input)).payload.toString(), input);
        assert.deepEqual(machine.home.spooled(), []);
      }),
  },
];
