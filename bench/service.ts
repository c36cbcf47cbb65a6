import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { repository, run } from "../test/world/home.ts";
import { type Measure, quantile } from "./table.ts";

const rounds = Number(process.env["ROUNDS"] ?? 25);
const walkNames = ["plain", "client"] as const;

/** Output of one process about its walk. */
interface Walk {
  readonly rows: number;
  readonly calls: number;
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
  const walks: Record<(typeof walkNames)[number], Walk[]> = { plain: [], client: [] };
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
  const times = (all: readonly Walk[]): number[] => all.map(({ cpuMs }) => cpuMs);
  // The slowest of the fastest quarter, which other work on the machine disturbs least.
  const [plainMs, clientMs] = [quantile(times(walks.plain), 0.25), quantile(times(walks.client), 0.25)];
  return [
    ["service client, 100,000 rows, CPU, × plain transfer and JSON.parse", clientMs / plainMs, 3.3],
    ["service client, 100,000 rows, peak MB", Math.max(...walks.client.map(({ peakMb }) => peakMb)), 100],
    ["service client, 100,000 rows, CPU ms", clientMs],
    ["service client, 100,000 rows, MB received", bytes / 1e6],
  ];
};

/** Bundles programs for plain Node: a TypeScript loader in the walking process would be measured too. */
async function bundle(outdir: string): Promise<void> {
  const entryPoints = ["service-server", "service-walk"].map((name) => join(repository, "bench", `${name}.ts`));
  const shape = { bundle: true, platform: "node", target: "node20", format: "esm" } as const;
  await build({ entryPoints, outdir, outExtension: { ".js": ".mjs" }, ...shape });
}
