import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { shippedSounds, sound } from "../../src/notifiers/sound.ts";
import { localCall } from "../world/local-call.ts";
import { recordArgs, useStubPrograms } from "../world/stub-programs.ts";

const stubs = useStubPrograms();
beforeEach(() => {
  stubs.add("pw-play", recordArgs);
});

const shipped = (name: string) => join(import.meta.dirname, `../../templates/sounds/${name}.wav`);
const played = () => stubs.readArgs("pw-play")?.at(-1);

test.each([
  ["needs-you", "attention"],
  ["failed", "failed"],
  ["finished", "done"],
  ["info", "soft"],
] as const)("%s sounds like %s", async (kind, name) => {
  await sound.send(localCall(sound.settings.parse({}), stubs.env, { kind }));
  expect(played()).toBe(shipped(name));
});

test.each(shippedSounds)("%s can be chosen", async (name) => {
  await sound.send(localCall(sound.settings.parse({ sounds: { "needs-you": name } }), stubs.env));
  expect(played()).toBe(shipped(name));
});

test("a file of the user's can be chosen", async () => {
  const file = join(stubs.folder, "own.ogg");
  writeFileSync(file, "OggS");
  await sound.send(localCall(sound.settings.parse({ sounds: { "needs-you": file } }), stubs.env));
  expect(played()).toBe(file);
});

test.each(["bell", "own.wav", "./own.wav", "../attention", ""])("%j is not a valid sound", (name) => {
  expect(sound.settings.safeParse({ sounds: { finished: name } }).success).toBe(false);
});

test("a late sound is not played", () => {
  expect(sound.retries).toBe(false);
});
