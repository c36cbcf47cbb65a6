import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createExec } from "../../src/io/exec.ts";
import { createSound } from "../../src/io/sound.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { impatient, recordArgs, useStubPrograms } from "../world/stub-programs.ts";

const stubs = useStubPrograms();
let file: string;
beforeEach(() => {
  file = join(stubs.folder, "-a sound's.wav");
  writeFileSync(file, "RIFF");
});

function play(path = file, platform: NodeJS.Platform = "linux", env: NodeJS.ProcessEnv = {}) {
  const all = { ...stubs.env, ...env };
  return createSound(createExec(all, []), platform, all).play({ file: path, signal: new AbortController().signal });
}

describe("the player", () => {
  test.each([
    ["linux", "pw-play", (path: string) => ["--", path]],
    ["linux", "paplay", (path: string) => ["--client-name=beckon", "--", path]],
    ["linux", "aplay", (path: string) => ["--quiet", "--duration=5", "--", path]],
    ["linux", "ffplay", (path: string) => ["-nodisp", "-autoexit", "-loglevel", "quiet", "-t", "5", "-i", path]],
    ["darwin", "afplay", (path: string) => ["-t", "5", path]],
  ] as const)("on %s is %s", async (platform, program, args) => {
    stubs.add(program, recordArgs);
    await play(file, platform);
    expect(stubs.readArgs(program)).toEqual(args(file));
  });

  test("is a constant script on Windows, with the path in a variable", async () => {
    stubs.add("powershell", `${recordArgs}; [ "$BECKON_SOUND" = ${JSON.stringify(file)} ]`);
    await play(file, "win32");
    expect(stubs.readArgs("powershell")?.join(" ")).not.toContain("sound's");
  });

  test("in WSL is Windows' own if Linux has none, and gets the path as Windows writes it", async () => {
    const isPassed = `[ "$BECKON_SOUND" = ${JSON.stringify(file)} ] && [ "$WSLENV" = BECKON_SOUND/p ]`;
    stubs.add("powershell.exe", `${recordArgs}; ${isPassed}`);
    await play(file, "linux", { WSL_DISTRO_NAME: "Debian" });
    expect(stubs.readArgs("powershell.exe")?.join(" ")).toContain("SoundPlayer $env:BECKON_SOUND");
    await expect(play(file, "linux")).rejects.toMatchObject({ reason: "unsupported" });
  });

  test("is the first one installed, and no other", async () => {
    for (const program of ["paplay", "aplay"]) stubs.add(program, recordArgs);
    await play();
    expect(stubs.readArgs("paplay")).toBeDefined();
    expect(stubs.readArgs("aplay")).toBeUndefined();
  });

  test("is the next if one has no server or device", async () => {
    stubs.add("pw-play", 'echo "pw_context_connect() failed: Host is down" >&2; exit 1');
    stubs.add("paplay", 'echo "Connection failure: Connection refused" >&2; exit 1');
    stubs.add("aplay", recordArgs);
    await play();
    expect(stubs.readArgs("aplay")).toBeDefined();
  });

  test("is never aplay for files that it would play as noise", async () => {
    stubs.add("aplay", recordArgs);
    const ogg = join(stubs.folder, "sound.ogg");
    writeFileSync(ogg, "OggS");
    await expect(play(ogg)).rejects.toMatchObject({ reason: "unsupported", message: expect.stringContaining(".ogg") });
    expect(stubs.readArgs("aplay")).toBeUndefined();
  });
});

describe("a sound", () => {
  test("without a player is unsupported", async () => {
    await expect(play()).rejects.toMatchObject({ reason: "unsupported", hint: expect.stringContaining("paplay") });
  });

  test("that no player can play is unsupported, and the error names the players", async () => {
    stubs.add("paplay", "exit 1");
    stubs.add("aplay", "exit 2");
    const message = "no player could play the sound: paplay (exit code 1), aplay (exit code 2)";
    await expect(play()).rejects.toMatchObject({ reason: "unsupported", message });
  });

  test("whose player hangs is stopped after 5 s, and no other player is tried", async () => {
    stubs.add("pw-play", "/bin/sleep 60");
    stubs.add("paplay", recordArgs);
    const granted: number[] = [];
    const sound = createSound(impatient(createExec(stubs.env, []), granted), "linux", stubs.env);
    const playing = sound.play({ file, signal: new AbortController().signal });
    await expect(playing).rejects.toMatchObject({ reason: "timeout" });
    expect(granted.map((ms) => Math.ceil(ms / 100) * 100)).toEqual([5_000]);
    expect(stubs.readArgs("paplay")).toBeUndefined();
  });

  test("other than a whole sound file of 10 MiB at most is rejected before any player runs", async () => {
    const rows: readonly string[] = [
      "sound.wav",
      "/nowhere/sound.wav",
      made("folder.wav", (path) => mkdirSync(path)),
      made("fifo.wav", (path) => execFileSync("mkfifo", [path])),
      made("sound.txt", (path) => writeFileSync(path, "")),
      made("sound", (path) => writeFileSync(path, "")),
      "/dev/zero",
      made("large.wav", (path) => grow(path, 10 * 1024 * 1024 + 1)),
    ];
    stubs.add("paplay", recordArgs);
    const check = (path: string) =>
      expect(play(path)).rejects.toMatchObject({ reason: "rejected", hint: expect.any(String) });
    expect(await collectFailures(rows, check)).toEqual([]);
    expect(stubs.readArgs("paplay")).toBeUndefined();
    await play(made("large.WAV", (path) => grow(path, 10 * 1024 * 1024)));
    expect(stubs.readArgs("paplay")).toBeDefined();
  });
});

function made(name: string, make: (path: string) => void): string {
  const path = join(stubs.folder, name);
  make(path);
  return path;
}

function grow(path: string, sizeBytes: number): void {
  writeFileSync(path, "");
  truncateSync(path, sizeBytes);
}
