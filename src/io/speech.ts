import { DeliveryError } from "../core/errors.ts";
import type { SpeechPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";

/** A program that reads a text on its standard input and says it. */
interface Speaker {
  readonly program: string;
  args(voice: string | undefined): readonly string[];
}

/** Most a text may take to be said. */
const sayMs = 20_000;

/** Constant: the text comes on standard input, the voice in a variable. 16 is SVSFIsNotXML. */
const sapiScript = [
  "[Console]::InputEncoding = [Text.Encoding]::UTF8",
  "$voice = New-Object -ComObject SAPI.SpVoice",
  "if ($env:BECKON_VOICE) { $found = $voice.GetVoices() | Where-Object { $_.GetDescription() -eq $env:BECKON_VOICE }",
  "if ($found) { $voice.Voice = @($found)[0] } }",
  "[void]$voice.Speak([Console]::In.ReadToEnd(), 16)",
].join("; ");

const speakers: Partial<Record<NodeJS.Platform, readonly Speaker[]>> = {
  darwin: [{ program: "say", args: (voice) => [...(voice ? ["-v", voice] : []), "-f", "-"] }],
  win32: [{ program: "powershell", args: () => ["-NoProfile", "-NonInteractive", "-Command", sapiScript] }],
};
const others: readonly Speaker[] = ["espeak-ng", "espeak"].map((program) => ({
  program,
  args: (voice) => [...(voice ? ["-v", voice] : []), "--stdin"],
}));

/** Says texts with the first of the platform's programs that is there. */
export function createSpeech(exec: ExecPort, platform: NodeJS.Platform = process.platform): SpeechPort {
  const speaker = () => (speakers[platform] ?? others).find(({ program }) => exec.which(program) !== undefined);
  return {
    obstacle: () => (speaker() ? undefined : noSpeaker().message),
    async say({ text, voice, signal }) {
      const found = speaker();
      if (!found) throw noSpeaker();
      const env = platform === "win32" && voice !== undefined ? { env: { BECKON_VOICE: voice } } : {};
      const call = { file: found.program, args: found.args(voice), input: literal(text), timeoutMs: sayMs, signal };
      const { exitCode } = await exec.run({ ...call, ...env });
      if (exitCode === 0) return;
      throw new DeliveryError("unsupported", `${found.program} could not speak (exit code ${exitCode})`, {
        hint: "Can sound be played here? And is there a voice of that name?",
      });
    },
  };
}

/** `[[…]]` holds commands to say and phonemes to espeak-ng. */
function literal(text: string): string {
  return text.replaceAll(/\[(?=\[)/g, "[ ");
}

function noSpeaker(): DeliveryError {
  return new DeliveryError("unsupported", "there is no program that speaks", { hint: "Install espeak-ng." });
}
