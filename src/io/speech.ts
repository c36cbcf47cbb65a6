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
  env?(voice: string | undefined, language: string | undefined): Readonly<Record<string, string>>;
  /** The name of a voice that speaks a language, if it has one; absent: the program finds it by itself. */
  voiceOf?(language: string, list: ListVoices): Promise<string | undefined>;
}

/** Runs the program with arguments that have it list its voices; its output. */
type ListVoices = (...args: readonly string[]) => Promise<string>;

/** Longest a text may take to be spoken; twenty seconds. */
const maxSpeechMs = 20_000;
/** Longest a program may take to list its voices. */
const listMs = 3_000;

/**
 * A constant script: the text comes on standard input, voice and language in variables. A voice names its languages as
 * locale ids in hexadecimal, `407;9`. 16 is SVSFIsNotXML. Joined by semicolons, no statement can begin with `else`.
 */
const sapiScript = [
  // Not by [Console]::InputEncoding, which cannot be set where there is no console.
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
/** Windows' own voices in WSL, where Linux may have none; WSLENV hands the variables over. */
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
      voiceOf: async (language, list) => voiceInList(await list("-v", "?"), language),
    },
  ],
  win32: [sapi],
};
const others = ["espeak-ng", "espeak"].map(
  (program): Speaker => ({
    program,
    args: (voice) => [...voiceOption(voice), "--stdin"],
    // Its voices are named after their languages: https://github.com/espeak-ng/espeak-ng/blob/master/docs/languages.md
    voiceOf: async (language) => (language === "pt" ? "pt-br" : language),
  }),
);

/** The first voice of a language in the list that `say` prints: `Anna   de_DE   # Hallo!`. */
function voiceInList(list: string, language: string): string | undefined {
  const voices = [...list.matchAll(/^(\S.*?) +([a-z]{2,3})[_-]\S+ +#/gm)];
  return voices.find(([, , spoken]) => spoken === language)?.[1];
}

/** The speech port: speaks with the user's own program, else with the first of the platform's that is installed. */
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
      const list: ListVoices = async (...args) => (await exec.run({ file, args, timeoutMs: listMs, signal })).stdout;
      const found = voice === undefined && language ? await speaker.voiceOf?.(language, list) : undefined;
      const run = { file, input: literal(text), env: speaker.env?.(voice, language) ?? {}, timeoutMs: maxSpeechMs };
      const speak = (name: string | undefined) => exec.run({ ...run, args: speaker.args(name), signal });
      let { exitCode } = await speak(voice ?? found);
      // An installation may lack the voices of a language: a wrong one is better than none.
      if (exitCode !== 0 && found !== undefined) ({ exitCode } = await speak(undefined));
      if (exitCode === 0) return;
      throw new DeliveryError("unsupported", `${basename(file)} could not speak (exit code ${exitCode})`, {
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
