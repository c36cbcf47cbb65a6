import { basename } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import type { SpeechPort } from "../core/machine-ports.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ExecPort } from "../core/ports.ts";
import { noSuchProgram } from "./which.ts";

/** A program that speaks the text on its standard input. */
interface Speaker {
  readonly program: string;
  args(voice: string | undefined): readonly string[];
}

/** Longest a text may take to be spoken; twenty seconds. */
const maxSpeechMs = 20_000;

/** A constant script: the text comes on standard input, the voice in a variable. 16 is SVSFIsNotXML. */
const sapiScript = [
  "[Console]::InputEncoding = [Text.Encoding]::UTF8",
  "$voice = New-Object -ComObject SAPI.SpVoice",
  "if ($env:BECKON_VOICE) { $found = $voice.GetVoices() | Where-Object { $_.GetDescription() -eq $env:BECKON_VOICE }",
  "if ($found) { $voice.Voice = @($found)[0] } }",
  "[void]$voice.Speak([Console]::In.ReadToEnd(), 16)",
].join("; ");

const voiceOption = (voice: string | undefined) => (voice ? ["-v", voice] : []);
const speakers: Partial<Record<NodeJS.Platform, readonly Speaker[]>> = {
  darwin: [{ program: "say", args: (voice) => [...voiceOption(voice), "-f", "-"] }],
  win32: [{ program: "powershell", args: () => ["-NoProfile", "-NonInteractive", "-Command", sapiScript] }],
};
const others = ["espeak-ng", "espeak"].map(
  (program): Speaker => ({ program, args: (voice) => [...voiceOption(voice), "--stdin"] }),
);

/** The speech port: speaks with the user's own program, else with the first of the platform's that is installed. */
export function createSpeech(exec: ExecPort, platform: NodeJS.Platform = process.platform): SpeechPort {
  const speaker = (own: string | undefined) => {
    const candidates = own === undefined ? (speakers[platform] ?? others) : [{ program: own, args: voiceOption }];
    const found = candidates.map(({ program, args }) => ({
      args,
      path: own === undefined ? exec.driver(program) : exec.which(own),
    }));
    return found.find(({ path }) => path !== undefined);
  };
  return {
    obstacle: (own) => (speaker(own) ? undefined : noSpeaker(own).message),
    async say({ text, voice, program, signal }) {
      const { path, args } = speaker(program) ?? {};
      if (path === undefined || !args) throw noSpeaker(program);
      const env = platform === "win32" && voice !== undefined ? { BECKON_VOICE: voice } : undefined;
      const run = { file: path, args: args(voice), input: literal(text), timeoutMs: maxSpeechMs, signal };
      const { exitCode } = await exec.run({ ...run, ...omitUndefined({ env }) });
      if (exitCode === 0) return;
      throw new DeliveryError("unsupported", `${basename(path)} could not speak (exit code ${exitCode})`, {
        hint: "Check whether sound can be played here, and whether the voice exists.",
      });
    },
  };
}

/** A text without `[[…]]`, which holds commands for `say` and phonemes for espeak-ng. */
function literal(text: string): string {
  return text.replaceAll(/\[(?=\[)/g, "[ ");
}

function noSpeaker(own: string | undefined): DeliveryError {
  if (own !== undefined) return noSuchProgram(own);
  return new DeliveryError("unsupported", "there is no program here that can speak", { hint: "Install espeak-ng." });
}
