import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createExec } from "../../src/io/exec.ts";
import { createSpeech } from "../../src/io/speech.ts";
import { speech } from "../../src/notifiers/speech.ts";
import { localCall } from "../world/local-call.ts";
import { recordArgs, useStubPrograms } from "../world/stub-programs.ts";

const stubs = useStubPrograms();

const addSpeaker = (name: string) =>
  stubs.add(name, `${recordArgs}\n/bin/cat > "$0.text"\nprintf '%s' "$BECKON_VOICE" > "$0.voice"`);
const readVoice = (name: string) => readFileSync(join(stubs.folder, `${name}.voice`), "utf8");
const said = (name: string) => readFileSync(join(stubs.folder, `${name}.text`), "utf8");

describe("speech", () => {
  test("reads a request's line breaks aloud in the language of the message, but not those of an answer", async () => {
    const texts: string[] = [];
    const say = async ({ text }: { readonly text: string }) => void texts.push(text);
    for (const [kind, language] of [
      ["needs-you", "de"],
      ["needs-you", "xx"],
      ["finished", "de"],
    ] as const) {
      const call = localCall(speech.settings.parse({}), stubs.env, { title: "T", body: "# a\nrm b", kind });
      await speech.send({ ...call, language, ports: { ...call.ports, speech: { ...call.ports.speech, say } } });
    }
    expect(texts).toEqual(["T.\n# a, neue Zeile, rm b", "T.\n# a, new line, rm b", "T.\n# a\nrm b"]);
  });

  test.each([
    ["linux", "espeak-ng", ["-v", "en-gb", "--stdin"]],
    ["darwin", "say", ["-v", "en-gb", "-f", "-"]],
    ["freebsd", "espeak", ["-v", "en-gb", "--stdin"]],
  ] as const)("on %s is %s, with the text on its standard input", async (platform, program, args) => {
    addSpeaker(program);
    const port = createSpeech(createExec(stubs.env, []), platform);
    await port.say({ text: "-f /etc/passwd\n$(touch x)", voice: "en-gb", signal: new AbortController().signal });
    expect(stubs.readArgs(program)).toEqual(args);
    expect(said(program)).toBe("-f /etc/passwd\n$(touch x)");
  });

  test("in WSL is Windows' own if Linux has none", async () => {
    const env = { ...stubs.env, WSL_DISTRO_NAME: "Debian" };
    stubs.add("powershell.exe", `/bin/cat > "$0.text"\nprintf '%s' "$BECKON_VOICE $WSLENV" > "$0.voice"`);
    const port = createSpeech(createExec(env, []), "linux", env);
    await port.say({ text: "über", voice: "Zira", signal: new AbortController().signal });
    expect(said("powershell.exe")).toBe("über");
    expect(readVoice("powershell.exe")).toBe("Zira BECKON_VOICE:BECKON_LANGUAGE");
    expect(createSpeech(createExec(stubs.env, []), "linux", stubs.env).obstacle()).toBeDefined();
  });

  test("on Windows is SAPI with a constant script without markup, and the voice in a variable", async () => {
    addSpeaker("powershell");
    const port = createSpeech(createExec(stubs.env, []), "win32");
    const say = (text: string, voice: string) => port.say({ text, voice, signal: new AbortController().signal });
    await say("one", "Zira'; Remove-Item x");
    const first = stubs.readArgs("powershell");
    expect(readFileSync(join(stubs.folder, "powershell.voice"), "utf8")).toBe("Zira'; Remove-Item x");
    await say("<silence msec='9'/>", "two");
    expect(stubs.readArgs("powershell")).toEqual(first);
    expect(first?.at(-1)).toContain("ReadToEnd(), 16)");
    expect(first?.at(-1)).not.toMatch(/; *else/); // for PowerShell the name of a program
    expect(said("powershell")).toBe("<silence msec='9'/>");
  });

  test("reads title and body, or the title alone, and no commands within the text", async () => {
    addSpeaker("espeak-ng");
    await speech.send(localCall(speech.settings.parse({}), stubs.env, { title: "shop", body: "[[volm 9]] [[[x]]" }));
    expect(said("espeak-ng")).toBe("shop.\n[ [volm 9]] [ [ [x]]");
    await speech.send(localCall(speech.settings.parse({ body: false }), stubs.env, { title: "shop", body: "more" }));
    expect(said("espeak-ng")).toBe("shop");
  });

  describe("of messages in another language than English", () => {
    const sayIn = (language: string, platform: NodeJS.Platform, voice?: string) => {
      const request = { text: "Hallo", language, signal: new AbortController().signal };
      return createSpeech(createExec(stubs.env, []), platform).say(
        voice === undefined ? request : { ...request, voice },
      );
    };

    test.each([
      ["de", ["-v", "de", "--stdin"]],
      ["pt", ["-v", "pt-br", "--stdin"]],
      ["zh", ["-v", "zh", "--stdin"]],
    ])("has espeak-ng's voice for %s", async (language, args) => {
      addSpeaker("espeak-ng");
      await speech.send({ ...localCall(speech.settings.parse({}), stubs.env), language });
      expect(stubs.readArgs("espeak-ng")).toEqual(args);
    });

    test("has the platform's own voice for English, and a configured one for any language", async () => {
      addSpeaker("espeak-ng");
      await speech.send(localCall(speech.settings.parse({}), stubs.env));
      expect(stubs.readArgs("espeak-ng")).toEqual(["--stdin"]);
      await speech.send({ ...localCall(speech.settings.parse({ voice: "ja" }), stubs.env), language: "de" });
      expect(stubs.readArgs("espeak-ng")).toEqual(["-v", "ja", "--stdin"]);
    });

    test("has another voice if the program has none for the language", async () => {
      stubs.add("espeak-ng", `[ "$1" = -v ] && exit 1\n${recordArgs}\n/bin/cat > "$0.text"`);
      await sayIn("de", "linux");
      expect(stubs.readArgs("espeak-ng")).toEqual(["--stdin"]);
      await expect(sayIn("de", "linux", "no-such")).rejects.toMatchObject({ reason: "unsupported" });
    });

    test("has on macOS the first voice that `say` lists for the language, or the default one", async () => {
      const lines = [
        "Alex                en_US    # Hi",
        "Eddy (German (Germany)) de_DE    # Hallo",
        "Anna   de_DE    # Hallo",
      ];
      stubs.add(
        "say",
        `if [ "$2" = "?" ]; then printf '%s\\n' '${lines.join("' '")}'; exit; fi\n${recordArgs}\n/bin/cat > "$0.text"`,
      );
      await sayIn("de", "darwin");
      expect(stubs.readArgs("say")).toEqual(["-v", "Eddy (German (Germany))", "-f", "-"]);
      await sayIn("ja", "darwin");
      expect(stubs.readArgs("say")).toEqual(["-f", "-"]);
    });

    test("is passed to SAPI in a variable", async () => {
      stubs.add("powershell", `${recordArgs}\n/bin/cat > "$0.text"\nprintf '%s' "$BECKON_LANGUAGE" > "$0.voice"`);
      await sayIn("de", "win32");
      expect(readVoice("powershell")).toBe("de");
      expect(stubs.readArgs("powershell")?.at(-1)).toContain("-eq $env:BECKON_LANGUAGE");
    });
  });

  test("is unsupported without a program, and if the program fails", async () => {
    const call = localCall(speech.settings.parse({}), stubs.env);
    await expect(speech.send(call)).rejects.toMatchObject({ reason: "unsupported", hint: "Install espeak-ng." });
    expect(await speech.verification?.check?.(call)).toMatchObject({
      message: expect.stringMatching(/no speech program/),
    });
    stubs.add("espeak-ng", "exit 3");
    await expect(speech.send(call)).rejects.toMatchObject({
      reason: "unsupported",
      message: expect.stringContaining("3"),
    });
    expect(await speech.verification?.check?.(call)).toBeUndefined();
  });

  test.each(["-v", "a;b", "../x", "", " "])("%j is not a valid voice", (voice) => {
    expect(speech.settings.safeParse({ voice }).success).toBe(false);
  });
});
