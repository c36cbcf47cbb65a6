import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { keys } from "../src/fake-service/access.ts";
import { createHome, repository } from "../test/world/home.ts";
import { peakMb } from "./process-cost.ts";
import type { Measure } from "./table.ts";

/** Options for a period of 312 days, from the first day with data. */
const period = ["--since", "2026-01-14", "--until", "2026-11-21"];

/** Measures the page of 312 days of 1,000 users; the sandbox is in another process. */
export const measureReport: Measure = async () => {
  const home = createHome("beckon-bench-report");
  const sandbox = spawn(process.execPath, ["--import", "tsx", join("test", "world", "service", "run.ts")], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [output] = (await once(sandbox.stdout, "data")) as [Buffer];
    const [, baseUrl = "", appUrl = ""] = /baseUrl\s+(\S+)\s+appUrl\s+(\S+)/.exec(output.toString()) ?? [];
    const page = join(home.paths.root, "report.html");
    const service = { BECKON_BASE_URL: baseUrl, BECKON_APP_URL: appUrl, BECKON_API_KEY: keys.owner };
    const startedAtMs = performance.now();
    const report = spawn(process.execPath, [join("dist", "cli.js"), "service", "report", ...period, "--out", page], {
      cwd: repository,
      env: { ...home.env, ...service },
      stdio: ["ignore", "ignore", "inherit"],
    });
    let highestMb = 0;
    const poll = setInterval(() => {
      // After its end a process has no memory.
      highestMb = Math.max(highestMb, peakMb(report.pid) || 0);
    }, 20);
    const [exitCode] = (await once(report, "exit")) as [number];
    clearInterval(poll);
    if (exitCode !== 0) throw new Error(`the report ended with ${exitCode}`);
    const tookMs = performance.now() - startedAtMs;
    return [
      ["report of 312 days of 1,000 users, s", tookMs / 1000, 60],
      ["report of 312 days of 1,000 users, peak MB", highestMb, 185],
      ["report of 312 days of 1,000 users, page, KB", statSync(page).size / 1000],
    ];
  } finally {
    sandbox.kill();
    await home.remove();
  }
};
