import { extname } from "node:path";

/** A program that plays one sound file and ends. */
export interface Player {
  readonly program: string;
  /** File name extensions it plays; some play noise, or nothing, for others. */
  readonly plays: readonly string[];
  args(file: string): readonly string[];
  env?(file: string): Readonly<Record<string, string>>;
}

/** What a sound file's name may end in. */
export const soundExtensions = [".wav", ".aiff", ".mp3", ".ogg", ".oga", ".flac"] as const;

const maxSeconds = "5";
/** Constant: the path comes in a variable, never inside the source. */
const powershellScript = "(New-Object System.Media.SoundPlayer $env:BECKON_SOUND).PlaySync()";

const afplay: Player = {
  program: "afplay",
  plays: [".wav", ".aiff", ".mp3", ".flac"],
  args: (file) => ["-t", maxSeconds, file],
};

const soundPlayer: Player = {
  program: "powershell",
  plays: [".wav"],
  args: () => ["-NoProfile", "-NonInteractive", "-Command", powershellScript],
  env: (file) => ({ BECKON_SOUND: file }),
};

/** Sound servers first: they mix, while ALSA may be blocked by them. */
const others: readonly Player[] = [
  { program: "pw-play", plays: soundExtensions, args: (file) => ["--", file] },
  { program: "paplay", plays: soundExtensions, args: (file) => ["--client-name=beckon", "--", file] },
  { program: "aplay", plays: [".wav"], args: (file) => ["--quiet", `--duration=${maxSeconds}`, "--", file] },
  {
    program: "ffplay",
    plays: soundExtensions,
    args: (file) => ["-nodisp", "-autoexit", "-loglevel", "quiet", "-t", maxSeconds, "-i", file],
  },
];

/** The players of a platform that can play a file of that name, best first. */
export function playersFor(platform: NodeJS.Platform, file: string): readonly Player[] {
  const players = platform === "darwin" ? [afplay] : platform === "win32" ? [soundPlayer] : others;
  return players.filter(({ plays }) => plays.includes(extname(file).toLowerCase()));
}
