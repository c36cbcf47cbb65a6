/** Makes beckon's own sounds from sines: `npx tsx templates/sounds/make.ts` writes them beside this file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const sampleRate = 22_050;
const attackSeconds = 0.006;
const releaseSeconds = 0.03;

/** One struck note, like a small bell or a marimba bar. */
interface Note {
  readonly hertz: number;
  readonly startSeconds: number;
  /** Decay time: seconds to 1/e. */
  readonly decaySeconds: number;
  /** 0 to 1, before the sum is brought to its peak. */
  readonly gain: number;
}

interface Sound {
  readonly seconds: number;
  /** Highest sample, 0 to 1. */
  readonly peak: number;
  readonly notes: readonly Note[];
}

/** Loudness of each multiple of a note's pitch; the higher, the sooner it dies away. */
const overtones = [
  [1, 1],
  [2, 0.28],
  [3, 0.1],
  [5.4, 0.04],
] as const;

const pitch = { F3: 174.61, A3: 220, D4: 293.66, G4: 392, C5: 523.25, D5: 587.33, E5: 659.26, G5: 783.99, B5: 987.77 };
const note = (hertz: number, startSeconds: number, decaySeconds: number, gain = 1): Note => ({
  hertz,
  startSeconds,
  decaySeconds,
  gain,
});

/** The four sounds by name: a question, a small cadence home, a step down, and one quiet touch. */
export const sounds: Readonly<Record<"attention" | "done" | "failed" | "soft", Sound>> = {
  attention: {
    seconds: 0.85,
    peak: 0.7,
    notes: [
      note(pitch.E5, 0, 0.14),
      note(pitch.B5, 0.13, 0.2),
      note(pitch.E5, 0.34, 0.12, 0.6),
      note(pitch.B5, 0.46, 0.2),
    ],
  },
  done: {
    seconds: 0.8,
    peak: 0.6,
    notes: [
      note(pitch.G4, 0, 0.18, 0.8),
      note(pitch.C5, 0.1, 0.2, 0.9),
      note(pitch.E5, 0.2, 0.24),
      note(pitch.G5, 0.2, 0.24, 0.4),
    ],
  },
  failed: {
    seconds: 0.8,
    peak: 0.65,
    notes: [note(pitch.D4, 0, 0.16), note(pitch.A3, 0.18, 0.24), note(pitch.F3, 0.18, 0.24, 0.6)],
  },
  soft: { seconds: 0.4, peak: 0.35, notes: [note(pitch.D5, 0, 0.12)] },
};

/** Renders a sound as a WAV file: 16 bit, mono, 22,050 Hz. The bytes are the same at each call. */
export function render(sound: Sound): Buffer {
  const length = Math.round(sound.seconds * sampleRate);
  const samples = Array.from({ length }, (_, index) => amplitude(sound, index / sampleRate));
  const loudest = Math.max(...samples.map(Math.abs));
  const data = Buffer.alloc(length * 2);
  for (const [index, sample] of samples.entries()) {
    data.writeInt16LE(Math.round((sample / loudest) * sound.peak * 32_767), index * 2);
  }
  return Buffer.concat([header(data.length), data]);
}

function amplitude({ notes, seconds }: Sound, at: number): number {
  const release = Math.min(1, (seconds - at) / releaseSeconds);
  return release * notes.reduce((sum, each) => sum + strike(each, at - each.startSeconds), 0);
}

function strike({ hertz, decaySeconds, gain }: Note, at: number): number {
  if (at < 0) return 0;
  const attack = Math.min(1, at / attackSeconds);
  let sum = 0;
  for (const [multiple, level] of overtones) {
    sum += level * Math.exp((-at * Math.sqrt(multiple)) / decaySeconds) * Math.sin(2 * Math.PI * hertz * multiple * at);
  }
  return gain * attack * sum;
}

/** Makes the header of a WAV file. http://soundfile.sapp.org/doc/WaveFormat/ */
function header(dataBytes: number): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + dataBytes, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(sampleRate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(dataBytes, 40);
  return bytes;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [name, sound] of Object.entries(sounds))
    writeFileSync(join(import.meta.dirname, `${name}.wav`), render(sound));
}
