import { statSync } from "node:fs";
import { basename, extname, isAbsolute } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ExecPort, SoundPort } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { noSuchProgram } from "./which.ts";

/** Longest time for playing a sound, milliseconds. All players that are tried share it. */
const maxPlayMs = 5000;
const maxSizeBytes = 10 * 1024 * 1024;

/** Program that plays a sound file and exits. */
interface Player {
  readonly program: string;
  /** File name extensions that the program supports. Some programs play noise or nothing for other files. */
  readonly plays: readonly string[];
  args(file: string): readonly string[];
  env?(file: string): Readonly<Record<string, string>>;
}

interface InstalledPlayer extends Player {
  /** Absolute path of the program. */
  readonly path: string;
}

/** Allowed file name extensions for sounds. */
const soundExtensions: readonly string[] = [".wav", ".aiff", ".mp3", ".ogg", ".oga", ".flac"];

const maxSeconds = String(maxPlayMs / 1000);
/** PowerShell script with constant text. The sound's path is in an environment variable, never in the script. */
const powershellScript = "(New-Object System.Media.SoundPlayer $env:BECKON_SOUND).PlaySync()";

const powershell: Player = {
  program: "powershell",
  plays: [".wav"],
  args: () => ["-NoProfile", "-NonInteractive", "-Command", powershellScript],
  env: (file) => ({ BECKON_SOUND: file }),
};
const players: Partial<Record<NodeJS.Platform, readonly Player[]>> = {
  darwin: [{ program: "afplay", plays: [".wav", ".aiff", ".mp3", ".flac"], args: (file) => ["-t", maxSeconds, file] }],
  win32: [powershell],
};
/** Players for Linux. Clients of sound servers come first: a running sound server may block ALSA players. */
const linuxPlayers: readonly Player[] = [
  { program: "pw-play", plays: soundExtensions, args: (file) => ["--", file] },
  { program: "paplay", plays: soundExtensions, args: (file) => ["--client-name=beckon", "--", file] },
  { program: "aplay", plays: [".wav"], args: (file) => ["--quiet", `--duration=${maxSeconds}`, "--", file] },
  {
    program: "ffplay",
    plays: soundExtensions,
    args: (file) => ["-nodisp", "-autoexit", "-loglevel", "quiet", "-t", maxSeconds, "-i", file],
  },
];

/** Windows player for use in WSL, where Linux may have no sound. WSLENV makes WSL convert the path. */
const windowsPlayerInWsl: Player = {
  ...powershell,
  program: "powershell.exe",
  env: (file) => ({ BECKON_SOUND: file, WSLENV: "BECKON_SOUND/p" }),
};

/** Creates the sound port. Uses the player that the user configured, or else the platform's first player that works. */
export function createSound(
  exec: ExecPort,
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): SoundPort {
  const ofPlatform =
    players[platform] ?? (env["WSL_DISTRO_NAME"] ? [...linuxPlayers, windowsPlayerInWsl] : linuxPlayers);
  const playersFor = (file: string, own: string | undefined): readonly InstalledPlayer[] => {
    const candidates: readonly Player[] =
      own === undefined ? ofPlatform : [{ program: basename(own), plays: soundExtensions, args: (path) => [path] }];
    const able = candidates.filter(({ plays }) => plays.includes(extname(file).toLowerCase()));
    return able.flatMap((player) => {
      const path = own === undefined ? exec.driver(player.program) : exec.which(own);
      return path === undefined ? [] : [{ ...player, path }];
    });
  };
  return {
    obstacle: (own) => (playersFor("any.wav", own).length > 0 ? undefined : noPlayer("any.wav", own)),
    async play({ file, program, signal }) {
      checkFile(file);
      const found = playersFor(file, program);
      if (found.length === 0) throw noPlayer(file, program);
      await playWithFirst(exec, found, file, signal);
    },
  };
}

async function playWithFirst(
  exec: ExecPort,
  candidates: readonly InstalledPlayer[],
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const stopAtMs = Date.now() + maxPlayMs;
  const failures: string[] = [];
  for (const { program, path, args, env } of candidates) {
    const timeoutMs = Math.max(1, stopAtMs - Date.now());
    const run = { file: path, args: args(file), timeoutMs, signal };
    const { exitCode } = await exec.run({ ...run, ...omitUndefined({ env: env?.(file) }) });
    if (exitCode === 0) return;
    failures.push(`${program} (exit code ${exitCode})`);
  }
  throw new DeliveryError("unsupported", `no player could play the sound: ${failures.join(", ")}`, {
    hint: "Start a sound server (PipeWire or PulseAudio), or choose another sound if this one cannot be played elsewhere.",
  });
}

/** Checks a sound file without opening it, because opening a FIFO or a device could block. */
function checkFile(file: string): void {
  if (!isAbsolute(file)) throw unusable("the path of a sound file must be absolute");
  if (!soundExtensions.includes(extname(file).toLowerCase())) {
    throw unusable(`the name of a sound file must end in ${soundExtensions.join(", ")}`);
  }
  const found = quietly(() => statSync(file));
  if (found === undefined) throw unusable("the sound file does not exist or cannot be read");
  if (!found.isFile()) throw unusable("the sound is not a regular file");
  if (found.size > maxSizeBytes) throw unusable("the sound file is larger than 10 MiB");
}

function unusable(message: string): DeliveryError {
  const hint = "Choose another sound for this notifier in the configuration.";
  return new DeliveryError("rejected", message, { hint });
}

function noPlayer(file: string, own: string | undefined): DeliveryError {
  if (own !== undefined) return noSuchProgram(own);
  return new DeliveryError("unsupported", `no program is installed that plays ${extname(file)} files`, {
    hint: "Install one: pw-play (pipewire), paplay (pulseaudio-utils), aplay (alsa-utils, .wav only) or ffplay (ffmpeg).",
  });
}
