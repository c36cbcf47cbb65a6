import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { sound } from "../../src/notifiers/sound.ts";
import { speech } from "../../src/notifiers/speech.ts";
import { startAudioSink } from "../world/audio-sink.ts";
import { localCall } from "../world/local-call.ts";
import { stubPrograms } from "../world/stub-programs.ts";
import { useShared } from "../world/use.ts";

const play = (env: NodeJS.ProcessEnv, message = {}, settings = {}) =>
  sound.send(localCall(sound.settings.parse(settings), env, message));

describe("on a real sound server", () => {
  const sink = useShared("stop", startAudioSink);

  test("it is initially silent", async () => {
    expect(await sink.recordWhile(() => delay(300))).toEqual({ rms: 0, peak: 0 });
  });

  test.each(kinds)("%s sounds", async (kind) => {
    const { rms, peak } = await sink.recordWhile(() => play(sink.env, { kind }));
    expect(rms).toBeGreaterThan(0.02);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThan(0.9);
  });

  test("a damaged file is silent and an error", async () => {
    const stubs = stubPrograms();
    const file = join(stubs.folder, "damaged.wav");
    writeFileSync(file, "no sound at all");
    const silence = await sink.recordWhile(() =>
      expect(play(sink.env, {}, { sounds: { "needs-you": file } })).rejects.toMatchObject({ reason: "unsupported" }),
    );
    expect(silence).toEqual({ rms: 0, peak: 0 });
  });

  test("a text is heard, in a chosen voice", async () => {
    const settings = speech.settings.parse({ voice: "en-gb" });
    const { rms, peak } = await sink.recordWhile(() => speech.send(localCall(settings, sink.env, { body: "Hello." })));
    expect(rms).toBeGreaterThan(0.01);
    expect(peak).toBeGreaterThan(0.1);
  });

  test("a voice that does not exist is an error, and not heard", async () => {
    const settings = speech.settings.parse({ voice: "no such voice" });
    const silence = await sink.recordWhile(() =>
      expect(speech.send(localCall(settings, sink.env))).rejects.toMatchObject({ reason: "unsupported" }),
    );
    expect(silence).toEqual({ rms: 0, peak: 0 });
  });
});

test("a machine without a sound server or device is unsupported", async () => {
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", PULSE_SERVER: "unix:/nowhere/native" };
  await expect(play(env)).rejects.toMatchObject({ reason: "unsupported", message: expect.stringContaining("paplay") });
});
