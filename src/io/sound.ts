import { stat } from "node:fs/promises";
import { extname, isAbsolute } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import type { SoundPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";
import { type Player, playersFor, soundExtensions } from "./sound-players.ts";

const playMs = 5000;
const maxSizeBytes = 10 * 1024 * 1024;

/** Plays sound files with the first of the platform's players that can. */
export function createSound(exec: ExecPort, platform: NodeJS.Platform = process.platform): SoundPort {
  const playersHere = (file: string) =>
    playersFor(platform, file).filter(({ program }) => exec.which(program) !== undefined);
  return {
    obstacle: () => (playersHere("any.wav").length > 0 ? undefined : noPlayer("any.wav").message),
    async play({ file, signal }) {
      await checkFile(file);
      const players = playersHere(file);
      await playWithFirst(exec, players, file, signal);
    },
  };
}

async function playWithFirst(exec: ExecPort, players: readonly Player[], file: string, signal: AbortSignal) {
  const stopAtMs = Date.now() + playMs;
  const failures: string[] = [];
  for (const { program, args, env } of players) {
    const timeoutMs = Math.max(1, stopAtMs - Date.now());
    const added = env?.(file);
    const run = { file: program, args: args(file), timeoutMs, signal, ...(added && { env: added }) };
    const { exitCode } = await exec.run(run);
    if (exitCode === 0) return;
    failures.push(`${program} (exit code ${exitCode})`);
  }
  throw failures.length === 0 ? noPlayer(file) : noDevice(failures);
}

/** Never opens the file, so that a FIFO or a device cannot block. */
async function checkFile(file: string): Promise<void> {
  if (!isAbsolute(file)) throw unusable("the path of a sound must be absolute");
  if (!soundExtensions.some((extension) => extension === extname(file).toLowerCase())) {
    throw unusable(`a sound's name must end in ${soundExtensions.join(", ")}`);
  }
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw unusable("there is no such sound file, or it cannot be reached");
  if (!found.isFile()) throw unusable("the sound is not a regular file");
  if (found.size > maxSizeBytes) throw unusable("the sound file is larger than 10 MiB");
}

function unusable(message: string): DeliveryError {
  return new DeliveryError("rejected", message, { hint: "Set another sound for this notifier in the configuration." });
}

function noPlayer(file: string): DeliveryError {
  return new DeliveryError("unsupported", `there is no program that plays ${extname(file)} files`, {
    hint: "Install one: pw-play (pipewire), paplay (pulseaudio-utils), aplay (alsa-utils, .wav only) or ffplay (ffmpeg).",
  });
}

function noDevice(failures: readonly string[]): DeliveryError {
  return new DeliveryError("unsupported", `no player could play the sound: ${failures.join(", ")}`, {
    hint: "Either no sound server or device can be reached from here, or the file is damaged.",
  });
}
