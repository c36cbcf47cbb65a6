import { join } from "node:path";
import { createHome, dist, run } from "../test/world/home.ts";
import { type Measure, median, printTable } from "./table.ts";
import { writeYear } from "./year-journal.ts";

const year = { days: 350, linesPerDay: 2_000 };
const runs = 5;
/** Commands that read the journal. */
const commands = ["status", "doctor", "log", "log --failed", "log --project nowhere", "today", "sessions", "why 0000"];
/** Module that reports the peak memory and the processor time of its process at the end, on standard error. */
const meter = `data:text/javascript,process.on("exit",()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();process._rawDebug("meter",maxRSS,userCPUTime+systemCPUTime)})`;

interface Run {
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Measures the commands that read the journal after a year, in turn with `node -e 0`. */
export const measureCommands: Measure = async () => {
  const home = createHome("beckon-bench-commands");
  try {
    const lines = writeYear(home.paths.journal, { endMs: Date.now(), ...year });
    const all = new Map<string, Run[]>(["node -e 0", ...commands].map((name) => [name, []]));
    for (let run = 0; run < runs; run += 1) {
      for (const [name, done] of all) {
        const args = name === "node -e 0" ? ["-e", "0"] : [join(dist, "cli.js"), ...name.split(" ")];
        done.push(await runOnce(args, home.env));
      }
    }
    const medians = [...all].map(([name, done]) => {
      const middle = (key: keyof Run): number => median(done.map((run) => run[key]));
      const peakMb = Math.max(...done.map((run) => run.peakMb));
      return { name, tookMs: middle("tookMs"), cpuMs: middle("cpuMs"), peakMb };
    });
    const nodeMs = medians[0]?.cpuMs ?? Number.NaN;
    printTable(
      `Commands after a year, ${lines} journal lines`,
      ["", "ms", "processor ms", "× node -e 0", "peak MB"],
      medians.map(({ name, tookMs, cpuMs, peakMb }) => [
        name,
        tookMs.toFixed(0),
        cpuMs.toFixed(0),
        (cpuMs / nodeMs).toFixed(1),
        peakMb.toFixed(0),
      ]),
    );
    return [
      ["commands after a year, slowest, ms", Math.max(...medians.map(({ tookMs }) => tookMs)), 600],
      ["commands after a year, peak MB", Math.max(...medians.map(({ peakMb }) => peakMb)), 100],
    ];
  } finally {
    await home.remove();
  }
};

async function runOnce(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const { stderr, tookMs } = await run(process.execPath, ["--import", meter, ...args], "", { env });
  const [, kilobytes, microseconds] = /meter (\d+) (\d+)/.exec(stderr) ?? [];
  return { tookMs, cpuMs: Number(microseconds) / 1_000, peakMb: Number(kilobytes) / 1_024 };
}
