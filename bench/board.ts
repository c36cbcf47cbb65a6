import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { alertFolder } from "../src/attention/alert-files.ts";
import { resolvePaths } from "../src/files/paths.ts";
import { concern, makeAlert } from "../test/world/alerts.ts";
import { median, printTable } from "./table.ts";
import { writeYear } from "./year-journal.ts";

const builtCli = join(import.meta.dirname, "..", "dist", "cli.js");
const days = 365;
const linesPerDay = 2_000;
/** Search texts. A text without matches is searched for in all months. */
const searches = ["nowhere-to-be-found", "nowhere git", "deploy schema", "title"];

/** Measures the board after a year: time of the page and of a search, and the server's memory. */
export async function measureBoard() {
  const root = mkdtempSync(join(tmpdir(), "beckon-bench-board-"));
  const lines = writeYear(resolvePaths(root).journal, { endMs: Date.now(), days, linesPerDay });
  const server = spawn(process.execPath, [builtCli, "board"], {
    env: { ...process.env, BECKON_HOME: root },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [output] = (await once(server.stdout, "data")) as [Buffer];
    const url = output.toString().trim();
    const openMs = await measureMs(url);
    const againMs = await measureMs(url);
    const yearAgo = new Date(Date.now() - 330 * 24 * 3_600_000).toISOString().slice(0, 10);
    const oldDayMs = await measureMs(`${url}?day=${yearAgo}`);
    const dayMb = readPeakMb(server.pid);
    const times: number[] = [];
    for (const words of searches) times.push(await measureMs(`${url}log?words=${encodeURIComponent(words)}`));
    const peakMb = readPeakMb(server.pid);
    printTable(
      `The board after a year, ${lines} journal lines`,
      ["", "ms"],
      [
        ["page, the first time", openMs.toFixed(0)],
        ["page, again", againMs.toFixed(0)],
        ["page of a day eleven months ago", oldDayMs.toFixed(0)],
        ...searches.map((words, at) => [`search for ${words}`, (times[at] ?? Number.NaN).toFixed(0)]),
      ],
    );
    console.log(`server, peak: ${peakMb.toFixed(0)} MB, of which before the searches ${dayMb.toFixed(0)} MB`);
    return { openMs, searchMs: Math.max(...times), peakMb };
  } finally {
    server.kill();
    rmSync(root, { recursive: true, force: true });
  }
}

const waitingSessions = 1_000;
const changes = 10;

/** Measures how long an event takes to an open page while a thousand sessions wait, median milliseconds. */
export async function measureWaitingBoard(): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), "beckon-bench-waiting-board-"));
  const folder = alertFolder(resolvePaths(root));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const raise = (name: string): void => {
    const request = concern(name, { atMs: Date.now() - (name.startsWith("new") ? 20 * 3_600_000 : 0) });
    const alert = makeAlert({ sessionId: name, title: "Fix the till", concerns: [request] });
    writeFileSync(join(folder, `${alert.key}.part`), JSON.stringify(alert), { mode: 0o600 });
    renameSync(join(folder, `${alert.key}.part`), join(folder, `${alert.key}.json`));
  };
  for (let index = 0; index < waitingSessions; index += 1) raise(`old-${index}`);
  const server = spawn(process.execPath, [builtCli, "board"], {
    env: { ...process.env, BECKON_HOME: root },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const page = new AbortController();
  try {
    const [output] = (await once(server.stdout, "data")) as [Buffer];
    const response = await fetch(`${output.toString().trim()}events`, { signal: page.signal });
    const chunks = (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
    const readUntil = async (part: string): Promise<void> => {
      for (let text = ""; !text.includes(part); ) text += (await chunks.read()).value ?? "";
    };
    await readUntil("wait-old-");
    const times: number[] = [];
    for (let index = 0; index < changes; index += 1) {
      await sleep(1_000);
      const startedAtMs = performance.now();
      raise(`new-${index}`);
      await readUntil(`wait-new-${index}`);
      times.push(performance.now() - startedAtMs);
    }
    printTable(
      `The board with ${waitingSessions} waiting sessions`,
      ["", "ms"],
      [
        ["event to page, median", median(times).toFixed(0)],
        ["event to page, slowest", Math.max(...times).toFixed(0)],
      ],
    );
    return median(times);
  } finally {
    page.abort();
    server.kill();
    rmSync(root, { recursive: true, force: true });
  }
}

function readPeakMb(pid: number | undefined): number {
  const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

async function measureMs(url: string): Promise<number> {
  const startedAtMs = performance.now();
  await (await fetch(url)).text();
  return performance.now() - startedAtMs;
}
