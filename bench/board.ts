import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alertFolder } from "../src/attention/alert-files.ts";
import type { Paths } from "../src/files/paths.ts";
import { concern, makeAlert } from "../test/world/alerts.ts";
import { createHome, dist, sleep } from "../test/world/home.ts";
import { peakMb } from "./process-cost.ts";
import { type Figure, type Measure, median } from "./table.ts";
import { writeYear } from "./year-journal.ts";

const days = 365;
const linesPerDay = 2_000;
/** Search texts. A text without matches is searched for in all months. */
const searches = ["nowhere-to-be-found", "nowhere git", "deploy schema", "title"];

export const measureBoards: Measure = async () => [...(await measureYear()), ...(await measureWaiting())];

/** Measures the board after a year: time of the page and of a search, and the server's memory. */
function measureYear(): Promise<readonly Figure[]> {
  let lines = 0;
  const fill = ({ journal }: Paths) => {
    lines = writeYear(journal, { endMs: Date.now(), days, linesPerDay });
  };
  return withBoard(fill, async (url, pid) => {
    const openMs = await measureMs(url);
    const againMs = await measureMs(url);
    const yearAgo = new Date(Date.now() - 330 * 24 * 3_600_000).toISOString().slice(0, 10);
    const oldDayMs = await measureMs(`${url}?day=${yearAgo}`);
    const dayMb = peakMb(pid);
    const times: number[] = [];
    for (const words of searches) times.push(await measureMs(`${url}log?words=${encodeURIComponent(words)}`));
    return [
      ["board after a year, journal lines", lines],
      ["board after a year, page, ms", openMs, 1_000],
      ["board after a year, page, again, ms", againMs],
      ["board after a year, page of a day eleven months ago, ms", oldDayMs],
      ["board after a year, slowest search, ms", Math.max(...times), 300],
      ["board after a year, its server, peak MB", peakMb(pid), 150],
      ["board after a year, its server, peak before the searches, MB", dayMb],
    ];
  });
}

const waitingSessions = 1_000;
const changes = 10;

/** Measures how long an event takes to an open page while a thousand sessions wait, median milliseconds. */
function measureWaiting(): Promise<readonly Figure[]> {
  let folder = "";
  const raise = (name: string): void => {
    const request = concern(name, { atMs: Date.now() - (name.startsWith("new") ? 20 * 3_600_000 : 0) });
    const alert = makeAlert({ sessionId: name, title: "Fix the till", concerns: [request] });
    writeFileSync(join(folder, `${alert.key}.part`), JSON.stringify(alert), { mode: 0o600 });
    renameSync(join(folder, `${alert.key}.part`), join(folder, `${alert.key}.json`));
  };
  const fill = (paths: Paths) => {
    folder = alertFolder(paths);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (let index = 0; index < waitingSessions; index += 1) raise(`old-${index}`);
  };
  return withBoard(fill, async (url) => {
    const page = new AbortController();
    const response = await fetch(`${url}events`, { signal: page.signal });
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
    page.abort();
    return [
      ["board with 1,000 waiting sessions, event to page, ms", median(times), 500],
      ["board with 1,000 waiting sessions, event to page, slowest, ms", Math.max(...times)],
    ];
  });
}

/** Calls `act` with the address and the process of a board, in a home that `fill` has filled. */
async function withBoard<T>(
  fill: (paths: Paths) => void,
  act: (url: string, pid: number | undefined) => Promise<T>,
): Promise<T> {
  const home = createHome("beckon-bench-board");
  fill(home.paths);
  const server = spawn(process.execPath, [join(dist, "cli.js"), "board"], {
    env: home.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [output] = (await once(server.stdout, "data")) as [Buffer];
    return await act(output.toString().trim(), server.pid);
  } finally {
    server.kill();
    await home.remove();
  }
}

async function measureMs(url: string): Promise<number> {
  const startedAtMs = performance.now();
  await (await fetch(url)).text();
  return performance.now() - startedAtMs;
}
