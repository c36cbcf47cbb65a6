import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { repository, run } from "../test/world/home.ts";
import { type Measure, printTable, quantile } from "./table.ts";

const rounds = Number(process.env["ROUNDS"] ?? 25);
const walkNames = ["nothing", "plain", "client"] as const;
type WalkName = (typeof walkNames)[number];

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
export const measureService: Measure = async () => {
  const folder = mkdtempSync(join(tmpdir(), "beckon-bench-"));
  await bundle(folder);
  const server = spawn(process.execPath, [join(folder, "service-server.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { port, bytes } = JSON.parse(line.toString()) as { port: number; bytes: number };
  const walks: Record<WalkName, Walk[]> = { nothing: [], plain: [], client: [] };
  for (let round = -1; round < rounds; round += 1) {
    for (const walkName of round % 2 ? walkNames : [...walkNames].reverse()) {
      const command = [join(folder, "service-walk.mjs"), walkName, String(port)];
      const { stdout } = await run(process.execPath, command, "");
      if (round >= 0) walks[walkName].push(JSON.parse(stdout) as Walk);
    }
  }
  server.kill();
  rmSync(folder, { recursive: true });
  const sums = new Set([...walks.plain, ...walks.client].map(({ rows, calls }) => `${rows} rows, ${calls} calls`));
  if (sums.size !== 1) throw new Error(`the walks disagree: ${[...sums].join(" / ")}`);
  return report(walks, `${[...sums].join()}, ${(bytes / 1e6).toFixed(0)} MB in 1,000 pages`);
};

/** Prints a table. Times are the slowest of the fastest quarter, which other work on the machine disturbs least. */
async function report(walks: Readonly<Record<WalkName, readonly Walk[]>>, what: string) {
  const bare = await run(process.execPath, ["-p", "process.resourceUsage().maxRSS / 1024"], "");
  const peak = (walkName: WalkName) => Math.max(...walks[walkName].map(({ peakMb }) => peakMb));
  const ms = (walkName: WalkName, time: "cpuMs" | "tookMs") =>
    quantile(
      walks[walkName].map((walk) => walk[time]),
      0.25,
    );
  const computeRatio = (walkName: WalkName) => ms(walkName, "cpuMs") / ms("plain", "cpuMs");
  const row = (name: string, walkName: WalkName) => [
    name,
    ms(walkName, "cpuMs").toFixed(0),
    computeRatio(walkName).toFixed(2),
    ms(walkName, "tookMs").toFixed(0),
    peak(walkName).toFixed(0),
  ];
  printTable(
    `${what}, ${rounds} interleaved rounds, a process each`,
    ["walk", "CPU ms", "× plain", "ms", "peak MB"],
    [
      ["none: Node alone", "", "", "", Number(bare.stdout).toFixed(0)],
      ["none: the client loaded", "", "", "", peak("nothing").toFixed(0)],
      row("node:http and JSON.parse", "plain"),
      row("service client", "client"),
    ],
  );
  return [
    ["service client, 100,000 rows, CPU, × plain transfer and JSON.parse", computeRatio("client"), 1.6],
    ["service client, 100,000 rows, peak MB", peak("client"), 90],
  ] as const;
}

/** Bundles programs for plain Node: a TypeScript loader in the walking process would be measured too. */
async function bundle(outdir: string): Promise<void> {
  const entryPoints = ["service-server", "service-walk"].map((name) => join(repository, "bench", `${name}.ts`));
  const shape = { bundle: true, platform: "node", target: "node20", format: "esm" } as const;
  await build({ entryPoints, outdir, outExtension: { ".js": ".mjs" }, ...shape });
}
