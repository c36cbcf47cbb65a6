import { measureAnswers } from "./answers.ts";
import { measureBoard, measureWaitingBoard } from "./board.ts";
import { measureCommands } from "./commands.ts";
import { measureDelivery, measureLatency, measureLoneEvents } from "./latency.ts";
import { measureLoad } from "./load.ts";
import { measureMemory } from "./memory.ts";
import { measureRelay } from "./relay.ts";
import { measureReport } from "./report.ts";
import { measureService } from "./service.ts";
import { measureWaiting } from "./waiting.ts";

/** Promise that a measured value is at most a limit. */
export type Promised = readonly [name: string, value: number, limit: number];

/** Part of the bench that can run alone. */
export interface Part {
  /** Programs needed in addition to Node, installed by `scripts/install-real.sh`. */
  readonly programs?: readonly string[];
  /** Measures, prints a table, and returns the promises with their values. */
  measure(): Promise<readonly Promised[]>;
}

/** All parts by name, in running order. */
export const parts: Readonly<Record<string, Part>> = {
  latency: {
    programs: ["bash", "curl", "jq"],
    async measure() {
      const medians = await measureLatency();
      const node = medians.get("node -e 0") ?? Number.NaN;
      const worst = (prefix: string) =>
        Math.max(...[...medians].filter(([name]) => name.startsWith(prefix)).map(([, ms]) => ms)) / node;
      return [
        ["launcher, worker awake, worst median, × node -e 0", worst("launcher, worker lingers"), 0.2],
        ["launcher, no worker, worst median, × node -e 0", worst("launcher, idle"), 0.24],
        ["entrypoint, worker awake, worst median, × node -e 0", worst("entrypoint, worker lingers"), 1.4],
        ["entrypoint, no worker, worst median, × node -e 0", worst("entrypoint, idle"), 1.6],
      ];
    },
  },
  delivery: {
    programs: ["bash"],
    async measure() {
      const { lingersMs, readTwiceMs } = await measureDelivery();
      return [["from event to delivery, transcript read twice, ms more than once", readTwiceMs - lingersMs, 300]];
    },
  },
  lone: {
    programs: ["bash"],
    async measure() {
      const { ratio, processorRatio } = await measureLoneEvents();
      if (!process.version.startsWith("v20.")) return []; // newer Nodes start faster, which would count against us
      return [
        ["from a lone event to delivery, × node -e 0 of Node 20", ratio, 4.2],
        ["worker's processor time for a lone event, × node -e 0 of Node 20", processorRatio, 4.6],
      ];
    },
  },
  load: {
    programs: ["bash", "curl", "jq"],
    async measure() {
      const { lost, doubled, timesRecipe } = await measureLoad();
      return [
        ["events lost", lost, 0],
        ["events doubled", doubled, 0],
        ["hooks of 20 callers, time of each, × bash + jq + curl", 1 / timesRecipe, 1 / 8],
      ];
    },
  },
  memory: {
    async measure() {
      const { launcherMb, workerMb } = await measureMemory();
      return [
        ["launcher, peak MB", launcherMb, 4],
        ["worker, peak MB", workerMb, 70],
      ];
    },
  },
  waiting: {
    programs: ["bash"],
    async measure() {
      const single = await measureWaiting(1);
      const thousand = await measureWaiting(1_000);
      return [
        ["worker that waits for an answer, % of a core", single.cpuPercent, 1],
        ["worker that waits for an answer, MB", single.residentMb, 65],
        ["worker that waits for 1,000 answers, % of a core", thousand.cpuPercent, 1],
      ];
    },
  },
  answers: {
    async measure() {
      const { medianMs, p95Ms } = await measureAnswers();
      return [
        ["from a press to the hook's end, ms", medianMs, 600],
        ["from a press to the hook's end, 95 % of presses, ms", p95Ms, 1_000],
      ];
    },
  },
  board: {
    async measure() {
      const { openMs, searchMs, peakMb } = await measureBoard();
      return [
        ["board after a year, page, ms", openMs, 1_000],
        ["board after a year, slowest search, ms", searchMs, 300],
        ["board after a year, its server, peak MB", peakMb, 150],
        ["board with 1,000 waiting sessions, event to page, ms", await measureWaitingBoard(), 500],
      ];
    },
  },
  commands: {
    async measure() {
      const { slowestMs, peakMb } = await measureCommands();
      return [
        ["commands after a year, slowest, ms", slowestMs, 600],
        ["commands after a year, peak MB", peakMb, 100],
      ];
    },
  },
  relay: {
    async measure() {
      const { lost, doubled, p99Ms } = await measureRelay();
      return [
        ["over a server of NATS, from event to delivery, 99 % of events, ms", p99Ms, 2_000],
        ["over a server of NATS, events lost", lost, 0],
        ["over a server of NATS, events doubled", doubled, 0],
      ];
    },
  },
  report: {
    async measure() {
      const { seconds, peakMb } = await measureReport();
      return [
        ["report of 312 days of 1,000 users, s", seconds, 60],
        ["report of 312 days of 1,000 users, peak MB", peakMb, 200],
      ];
    },
  },
  service: {
    async measure() {
      const { ratio, gzipRatio, peakMb } = await measureService();
      return [
        ["service client, 100,000 rows, CPU, × plain transfer and JSON.parse", ratio, 1.6],
        ["service client, 100,000 compressed rows, CPU, × the same decompression and JSON.parse", gzipRatio, 1.6],
        ["service client, 100,000 rows, peak MB", peakMb, 90],
      ];
    },
  },
};
