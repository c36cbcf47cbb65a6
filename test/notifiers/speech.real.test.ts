import { afterAll, beforeAll, expect, test } from "vitest";
import { speech } from "../../src/notifiers/speech.ts";
import { type AudioSink, startAudioSink } from "../world/audio-sink.ts";
import { localCall } from "../world/local-call.ts";

let sink: AudioSink;
beforeAll(async () => {
  sink = await startAudioSink();
});
afterAll(() => sink?.stop());

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
