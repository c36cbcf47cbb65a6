import { basename } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ExecPort, SpeechPort } from "../core/ports.ts";
import { noSuchProgram } from "./which.ts";

/** Program that speaks text from its standard input. */
interface Speaker {
  readonly program: string;
  args(voice: string | undefined): readonly string[];
  env?(voice: string | undefined, language: string | undefined): Readonly<Record<string, string>>;
  /** Finds a voice for a language; absent if the program chooses a voice itself. */
  findVoice?(language: string, list: ListVoices): Promise<string | undefined>;
}

/** Runs a program with arguments that make it list its voices, and returns the output. */
type ListVoices = (...args: readonly string[]) => Promise<string>;

/** Longest time for speaking a text, milliseconds. */
const maxSpeechMs = 20_000;
/** Longest time for listing voices, milliseconds. */
const listTimeoutMs = 3_000;

/**
 * PowerShell script with constant text. It reads the text to speak from standard input, and voice and language from
 * environment variables. Voices list their languages as hexadecimal locale ids, `407;9`. The flag 16 is SVSFIsNotXML.
 * Semicolons join the statements, so no statement may begin with `else`.
 */
const sapiScript = [
  // Without a console, [Console]::InputEncoding cannot be set.
  "$text = New-Object IO.StreamReader ([Console]::OpenStandardInput(), [Text.Encoding]::UTF8)",
  "$voice = New-Object -ComObject SAPI.SpVoice",
  "$languageOf = { param($one) $id = ($one.GetAttribute('Language') -split ';')[0]",
  "[Globalization.CultureInfo]::GetCultureInfo([Convert]::ToInt32($id, 16)).TwoLetterISOLanguageName }",
  "$fits = { $false }",
  "if ($env:BECKON_LANGUAGE) { $fits = { (& $languageOf $_) -eq $env:BECKON_LANGUAGE } }",
  "if ($env:BECKON_VOICE) { $fits = { $_.GetDescription() -eq $env:BECKON_VOICE } }",
  "$found = $voice.GetVoices() | Where-Object $fits",
  "if ($found) { $voice.Voice = @($found)[0] }",
  "[void]$voice.Speak($text.ReadToEnd(), 16)",
].join("; ");

const sapi: Speaker = {
  program: "powershell",
  args: () => ["-NoProfile", "-NonInteractive", "-Command", sapiScript],
  env: (voice, language) => omitUndefined({ BECKON_VOICE: voice, BECKON_LANGUAGE: language }),
};
/** Speaker with Windows voices for WSL, where Linux may have no voices. WSLENV makes WSL pass the variables on. */
const sapiInWsl: Speaker = {
  ...sapi,
  program: "powershell.exe",
  env: (voice, language) => ({ ...sapi.env?.(voice, language), WSLENV: "BECKON_VOICE:BECKON_LANGUAGE" }),
};

const voiceOption = (voice: string | undefined) => (voice ? ["-v", voice] : []);
const speakers: Partial<Record<NodeJS.Platform, readonly Speaker[]>> = {
  darwin: [
    {
      program: "say",
      args: (voice) => [...voiceOption(voice), "-f", "-"],
      // The list has lines such as `Anna  de_DE  # Hallo!`.
      async findVoice(language, list) {
        const voices = [...(await list("-v", "?")).matchAll(/^(\S.*?) +([a-z]{2,3})[_-]\S+ +#/gm)];
        return voices.find(([, , spoken]) => spoken === language)?.[1];
      },
    },
  ],
  win32: [sapi],
};
const others = ["espeak-ng", "espeak"].map(
  (program): Speaker => ({
    program,
    args: (voice) => [...voiceOption(voice), "--stdin"],
    // Voices have the names of languages: https://github.com/espeak-ng/espeak-ng/blob/master/docs/languages.md
    findVoice: async (language) => (language === "pt" ? "pt-br" : language),
  }),
);

/** Creates the speech port. Uses the program that the user configured, or else the platform's first installed one. */
export function createSpeech(
  exec: ExecPort,
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): SpeechPort {
  const ofPlatform = speakers[platform] ?? (env["WSL_DISTRO_NAME"] ? [...others, sapiInWsl] : others);
  const speakerFor = (own: string | undefined): (Speaker & { readonly path: string }) | undefined => {
    const candidates: readonly Speaker[] = own === undefined ? ofPlatform : [{ program: own, args: voiceOption }];
    for (const speaker of candidates) {
      const path = own === undefined ? exec.driver(speaker.program) : exec.which(own);
      if (path !== undefined) return { ...speaker, path };
    }
    return undefined;
  };
  return {
    obstacle: (own) => (speakerFor(own) ? undefined : noSpeaker(own)),
    async say({ text, voice, language, program, signal }) {
      const speaker = speakerFor(program);
      if (!speaker) throw noSpeaker(program);
      const { path: file } = speaker;
      const list: ListVoices = async (...args) =>
        (await exec.run({ file, args, timeoutMs: listTimeoutMs, signal })).stdout;
      const found = voice === undefined && language ? await speaker.findVoice?.(language, list) : undefined;
      // A space in every `[[`, because `say` takes `[[…]]` for a command, and espeak-ng takes it for phonemes.
      const input = text.replaceAll(/\[(?=\[)/g, "[ ");
      const run = { file, input, env: speaker.env?.(voice, language) ?? {}, timeoutMs: maxSpeechMs };
      const speak = (name: string | undefined) => exec.run({ ...run, args: speaker.args(name), signal });
      let { exitCode } = await speak(voice ?? found);
      // A listed voice may not be installed. A voice for another language is better than none.
      if (exitCode !== 0 && found !== undefined) ({ exitCode } = await speak(undefined));
      if (exitCode === 0) return;
      throw new DeliveryError("unsupported", `${basename(file)} could not speak (exit code ${exitCode})`, {
        hint: "Check that sound works and that the voice exists.",
      });
    },
  };
}

function noSpeaker(own: string | undefined): DeliveryError {
  if (own !== undefined) return noSuchProgram(own);
  return new DeliveryError("unsupported", "no speech program is installed", { hint: "Install espeak-ng." });
}
