import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { repository, run } from "../test/world/home.ts";
import { printTable, quantile } from "./table.ts";

const rounds = Number(process.env["ROUNDS"] ?? 25);
const walkNames = ["nothing", "plain", "client", "plain gzip", "client gzip"] as const;
type WalkName = (typeof walkNames)[number];

export interface ServiceResult {
  /** CPU time of the client's walk, all threads, divided by that of plain transfer and `JSON.parse`. */
  readonly ratio: number;
  /** Ratio for compressed replies, with the decompression in both walks. */
  readonly gzipRatio: number;
  readonly peakMb: number;
}

/** Output of one process about its walk. */
interface Walk {
  readonly rows: number;
  readonly calls: number;
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/**
 * Walks over 100,000 rows, each walk in its own process, in interleaved rounds.
 * @throws {Error} if the client's rows differ from the plain rows
 */
export async function measureService(): Promise<ServiceResult> {
  const folder = mkdtempSync(join(tmpdir(), "beckon-bench-"));
  await bundle(folder);
  const server = spawn(process.execPath, [join(folder, "service-server.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { port, bytes } = JSON.parse(line.toString()) as { port: number; bytes: number };
  const walks: Record<WalkName, Walk[]> = { nothing: [], plain: [], client: [], "plain gzip": [], "client gzip": [] };
  for (let round = -1; round < rounds; round += 1) {
    for (const walkName of round % 2 ? walkNames : [...walkNames].reverse()) {
      const [name = "", coding = ""] = walkName.split(" ");
      const command = [join(folder, "service-walk.mjs"), name, String(port), coding];
      const { stdout } = await run(process.execPath, command, "");
      if (round >= 0) walks[walkName].push(JSON.parse(stdout) as Walk);
    }
  }
  server.kill();
  rmSync(folder, { recursive: true });
  const { nothing: _, ...reading } = walks;
  const sums = new Set(
    Object.values(reading)
      .flat()
      .map(({ rows, calls }) => `${rows} rows, ${calls} calls`),
  );
  if (sums.size !== 1) throw new Error(`the walks disagree: ${[...sums].join(" / ")}`);
  return report(walks, `${[...sums].join()}, ${(bytes / 1e6).toFixed(0)} MB in 1,000 pages`);
}

/** Prints a table. Times are the slowest of the fastest quarter, which other work on the machine disturbs least. */
async function report(walks: Readonly<Record<WalkName, readonly Walk[]>>, what: string): Promise<ServiceResult> {
  const bare = await run(process.execPath, ["-p", "process.resourceUsage().maxRSS / 1024"], "");
  const peak = (walkName: WalkName) => Math.max(...walks[walkName].map(({ peakMb }) => peakMb));
  const ms = (walkName: WalkName, time: "cpuMs" | "tookMs") =>
    quantile(
      walks[walkName].map((walk) => walk[time]),
      0.25,
    );
  const computeRatio = (walkName: WalkName, base: WalkName) => ms(walkName, "cpuMs") / ms(base, "cpuMs");
  const row = (name: string, walkName: WalkName, base: WalkName) => [
    name,
    ms(walkName, "cpuMs").toFixed(0),
    computeRatio(walkName, base).toFixed(2),
    ms(walkName, "tookMs").toFixed(0),
    peak(walkName).toFixed(0),
  ];
  printTable(
    `${what}, ${rounds} interleaved rounds, a process each`,
    ["walk", "CPU ms", "× plain", "ms", "peak MB"],
    [
      ["none: Node alone", "", "", "", Number(bare.stdout).toFixed(0)],
      ["none: the client loaded", "", "", "", peak("nothing").toFixed(0)],
      row("node:http and JSON.parse", "plain", "plain"),
      row("service client", "client", "plain"),
      row("gzip: node:http, node:zlib and JSON.parse", "plain gzip", "plain gzip"),
      row("gzip: service client", "client gzip", "plain gzip"),
    ],
  );
  return {
    ratio: computeRatio("client", "plain"),
    gzipRatio: computeRatio("client gzip", "plain gzip"),
    peakMb: Math.max(peak("client"), peak("client gzip")),
  };
}

/** Bundles programs for plain Node: a TypeScript loader in the walking process would be measured too. */
async function bundle(outdir: string): Promise<void> {
  const entryPoints = ["service-server", "service-walk"].map((name) => join(repository, "bench", `${name}.ts`));
  const shape = { bundle: true, platform: "node", target: "node20", format: "esm" } as const;
  await build({ entryPoints, outdir, outExtension: { ".js": ".mjs" }, ...shape });
}
