/**
 * Measures what beckon promises and prints it as tables with ratios; ends with 1 where a promise is not kept. Linux only
 * (it reads /proc). Times on a shared machine mean little; their ratios within one interleaved run mean something.
 */

import { measureIndependence } from "./independence.ts";
import { measureKnown } from "./known.ts";
import { measureDelivery, measureLatency } from "./latency.ts";
import { measureLoad } from "./load.ts";
import { measureMemory } from "./memory.ts";
import { measurePresence } from "./presence.ts";
import { measureService } from "./service.ts";
import { measureWaiting } from "./waiting.ts";

// Node 20 reads extra certificates at every start; that would flatter the launcher.
for (const name of ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]) delete process.env[name];

const latency = await measureLatency();
const delivery = await measureDelivery();
const known = await measureKnown();
const independence = await measureIndependence();
const { lost } = await measureLoad();
const { launcherMb, workerMb } = await measureMemory();
const { askMs, typedUs } = await measurePresence();
const waiting = await measureWaiting();
const service = await measureService();

const node = latency.get("node -e 0") ?? Number.NaN;
const worst = (prefix: string) =>
  Math.max(...[...latency].filter(([name]) => name.startsWith(prefix)).map(([, ms]) => ms)) / node;
const readOnce = delivery.get("worker lingers") ?? Number.NaN;
const readTwice = delivery.get("worker lingers, transcript read twice") ?? Number.NaN;
const promises: readonly (readonly [string, number, number])[] = [
  ["launcher, worst median, × node -e 0", worst("launcher"), 0.35],
  ["entrypoint, worst median, × node -e 0", worst("entrypoint"), 1.6],
  ["from event to delivery, all notifiers known, × one known", known, 1.15],
  ["from event to delivery, beside notifiers that are stuck, × alone", independence, 2],
  ["from event to delivery, transcript read twice, ms more than once", readTwice - readOnce, 300],
  ["events lost", lost, 0],
  ["launcher, peak MB", launcherMb, 4],
  ["worker, peak MB", workerMb, 90],
  ["asking about the person, 99 % of questions, ms", askMs, 110],
  ["when somebody last typed, µs", typedUs, 500],
  ["worker that waits for an answer, % of a core", waiting.cpuPercent, 1],
  ["worker that waits for an answer, MB", waiting.residentMb, 75],
  ["service client, 100,000 rows, CPU, × plain transfer and JSON.parse", service.ratio, 1.4],
  ["service client, 100,000 rows, peak MB", service.peakMb, 90],
];
console.log("\nPromises");
for (const [name, value, limit] of promises) {
  console.log(`${value <= limit ? "kept  " : "BROKEN"}  ${name}: ${value.toFixed(2)} (at most ${limit})`);
}
process.exitCode = promises.every(([, value, limit]) => value <= limit) ? 0 : 1;
