import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createExec } from "../../src/io/exec.ts";
import { createSound } from "../../src/io/sound.ts";
import { recordArgs, type StubPrograms, stubPrograms } from "../helpers/stub-programs.ts";

let stubs: StubPrograms;
let file: string;
beforeEach(() => {
  stubs = stubPrograms();
  file = join(stubs.folder, "-a sound's.wav");
  writeFileSync(file, "RIFF");
});
afterEach(() => stubs.remove());

function play(path = file, platform: NodeJS.Platform = "linux") {
  return createSound(createExec(stubs.env), platform).play({ file: path, signal: new AbortController().signal });
}

describe("who plays it", () => {
  test.each([
    ["linux", "pw-play", (path: string) => ["--", path]],
    ["linux", "paplay", (path: string) => ["--client-name=beckon", "--", path]],
    ["linux", "aplay", (path: string) => ["--quiet", "--duration=5", "--", path]],
    ["linux", "ffplay", (path: string) => ["-nodisp", "-autoexit", "-loglevel", "quiet", "-t", "5", "-i", path]],
    ["darwin", "afplay", (path: string) => ["-t", "5", path]],
  ] as const)("on %s %s", async (platform, program, args) => {
    stubs.add(program, recordArgs);
    await play(file, platform);
    expect(stubs.argsOf(program)).toEqual(args(file));
  });

  test("on Windows a constant script, with the path in a variable", async () => {
    stubs.add("powershell", `${recordArgs}; [ "$BECKON_SOUND" = ${JSON.stringify(file)} ]`);
    await play(file, "win32");
    expect(stubs.argsOf("powershell")?.join(" ")).not.toContain("sound's");
  });

  test("the first that is there, and no other", async () => {
    for (const program of ["paplay", "aplay"]) stubs.add(program, recordArgs);
    await play();
    expect(stubs.argsOf("paplay")).toBeDefined();
    expect(stubs.argsOf("aplay")).toBeUndefined();
  });

  test("the next where one has no server or device", async () => {
    stubs.add("pw-play", 'echo "pw_context_connect() failed: Host is down" >&2; exit 1');
    stubs.add("paplay", 'echo "Connection failure: Connection refused" >&2; exit 1');
    stubs.add("aplay", recordArgs);
    await play();
    expect(stubs.argsOf("aplay")).toBeDefined();
  });

  test("never aplay for what it would play as noise", async () => {
    stubs.add("aplay", recordArgs);
    const ogg = join(stubs.folder, "sound.ogg");
    writeFileSync(ogg, "OggS");
    await expect(play(ogg)).rejects.toMatchObject({ reason: "unsupported", message: expect.stringContaining(".ogg") });
    expect(stubs.argsOf("aplay")).toBeUndefined();
  });
});

describe("what fails", () => {
  test("without a player it is unsupported", async () => {
    await expect(play()).rejects.toMatchObject({ reason: "unsupported", hint: expect.stringContaining("paplay") });
  });

  test("where no player can, it is unsupported, and says which were tried", async () => {
    stubs.add("paplay", "exit 1");
    stubs.add("aplay", "exit 2");
    const message = "no player could play the sound: paplay (exit code 1), aplay (exit code 2)";
    await expect(play()).rejects.toMatchObject({ reason: "unsupported", message });
  });

  test("a player that hangs is stopped after 5 s, and no other tried", async () => {
    stubs.add("pw-play", "/bin/sleep 60");
    stubs.add("paplay", recordArgs);
    const startMs = performance.now();
    await expect(play()).rejects.toMatchObject({ reason: "timeout" });
    expect(performance.now() - startMs).toBeLessThan(6500);
    expect(stubs.argsOf("paplay")).toBeUndefined();
  });

  test.each([
    ["a relative path", () => "sound.wav"],
    ["a file that is not there", () => "/nowhere/sound.wav"],
    ["a folder", () => made("folder.wav", (path) => mkdirSync(path))],
    ["a FIFO", () => made("fifo.wav", (path) => execFileSync("mkfifo", [path]))],
    ["another kind of file", () => made("sound.txt", (path) => writeFileSync(path, ""))],
    ["a name without an extension", () => made("sound", (path) => writeFileSync(path, ""))],
    ["a device", () => "/dev/zero"],
    ["more than 10 MiB", () => made("large.wav", (path) => grow(path, 10 * 1024 * 1024 + 1))],
  ])("%s is rejected before any player runs", async (_, path) => {
    stubs.add("paplay", recordArgs);
    await expect(play(path())).rejects.toMatchObject({ reason: "rejected", hint: expect.any(String) });
    expect(stubs.argsOf("paplay")).toBeUndefined();
  });

  test("10 MiB are played", async () => {
    stubs.add("paplay", recordArgs);
    await play(made("large.WAV", (path) => grow(path, 10 * 1024 * 1024)));
    expect(stubs.argsOf("paplay")).toBeDefined();
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
