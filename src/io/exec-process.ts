import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { clean } from "../core/clean.ts";

const outputBytes = 4096;
const graceMs = 300;

/** Takes in a stream to its end, keeps the first 4 KiB and returns a reader of them, cleaned. */
export function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on("data", (chunk: Buffer) => {
    if (kept >= outputBytes) return;
    chunks.push(chunk.subarray(0, outputBytes - kept));
    kept += chunk.length;
  });
  // A broken pipe ends the output; how the program ended is what counts.
  stream.on("error", () => {});
  return () => clean(new TextDecoder().decode(Buffer.concat(chunks)));
}

/** The exit code as a shell gives it: 128 + n for signal n. */
export function shellExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/**
 * Ends a process that leads its group, and all of the group: SIGTERM, and SIGKILL when `closed` (its end, with nobody
 * holding its output) has come or 300 ms are over, so that members who let go of the output go as well.
 */
export async function endGroup(pid: number, closed: Promise<unknown>): Promise<void> {
  if (process.platform === "win32") return endTree(pid);
  signalGroup(pid, "SIGTERM");
  const waiting = new AbortController();
  await Promise.race([closed, delay(graceMs, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
  signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nobody is left in the group. EPERM (macOS): only zombies are.
  }
}

async function endTree(pid: number): Promise<void> {
  const taskkill = join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
  const child = spawn(taskkill, ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  await once(child, "exit").catch(() => child.kill());
}
