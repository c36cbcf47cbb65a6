import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { background, eventually } from "./background.ts";

const run = promisify(execFile);

/** Root mean square and highest sample of a recording, 0 to 1. */
export interface Loudness {
  readonly rms: number;
  readonly peak: number;
}

/** A separate sound server, whose only device is silent. */
export type AudioSink = Awaited<ReturnType<typeof startAudioSink>>;

/** Starts a private PulseAudio, also for root. `env` lets a program play there. */
export async function startAudioSink() {
  const folder = mkdtempSync(join(tmpdir(), "beckon-audio-"));
  const socket = join(folder, "native");
  const programs = background();
  const stop = async () => {
    await programs.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const { PATH } = process.env;
  const own = { PATH, HOME: folder, XDG_RUNTIME_DIR: folder, PULSE_RUNTIME_PATH: folder, LANG: "C.UTF-8" };
  const env: NodeJS.ProcessEnv = { ...own, PULSE_SERVER: `unix:${socket}` };
  const protocol = `module-native-protocol-unix auth-anonymous=1 socket=${socket}`;
  const modules = ["module-null-sink sink_name=beckon", protocol];
  const flags = "--daemonize=no --exit-idle-time=-1 --use-pid-file=no -n".split(" ");
  const args = [...flags, ...modules.map((m) => `--load=${m}`)];
  try {
    programs.start("pulseaudio", args, { env: own });
    await eventually("pulseaudio", () => run("pactl", ["info"], { env }).catch(() => undefined));
  } catch (error) {
    await stop();
    throw error;
  }
  return { env, recordWhile: (act: () => Promise<unknown>) => recordWhile(act, env), stop };
}

/** Measures the volume from before `act` until a little after. */
async function recordWhile(act: () => Promise<unknown>, env: NodeJS.ProcessEnv): Promise<Loudness> {
  const args = "--device=beckon.monitor --format=s16le --rate=44100 --channels=1 --latency-msec=20 --raw".split(" ");
  const command = ["--pdeathsig", "KILL", "--", "parecord", ...args];
  const recorder = spawn("setpriv", command, { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(recorder, "exit");
  const chunks: Buffer[] = [];
  try {
    await once(recorder.stdout, "data");
    recorder.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    await act();
    await delay(300);
  } finally {
    recorder.kill("SIGKILL");
    await ended;
  }
  return measureLoudness(Buffer.concat(chunks));
}

function measureLoudness(samples: Buffer): Loudness {
  const count = Math.floor(samples.length / 2);
  let peak = 0;
  let squares = 0;
  for (let index = 0; index < count; index += 1) {
    const sample = samples.readInt16LE(index * 2) / 32_768;
    peak = Math.max(peak, Math.abs(sample));
    squares += sample ** 2;
  }
  return { rms: count === 0 ? 0 : Math.sqrt(squares / count), peak };
}
