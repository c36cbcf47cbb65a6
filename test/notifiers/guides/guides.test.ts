import { describe, expect, test } from "vitest";
import { listQuestions } from "../../../src/cli/commands/config/add/ask.ts";
import { notifierLoaders, phoneApps } from "../../../src/notifiers/registry.ts";

const notifiers = await Promise.all(
  Object.entries(notifierLoaders).map(async ([name, load]) => {
    const notifier = await load();
    return { name, notifier, guide: await notifier.guide?.() };
  }),
);

describe.each(notifiers)("the guide of $name", ({ name, notifier, guide }) => {
  const keys = Object.keys(notifier.settings.shape);

  test("says for every setting that must be given where to find it", () => {
    const required = listQuestions(notifier).filter((question) => question.required);
    const asked = [...required.map(({ key }) => key), ...(notifier.variants ?? []).flat()];
    for (const key of asked) expect(guide?.where[key], key).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(guide?.where ?? {}).filter((key) => !keys.includes(key))).toEqual([]);
  });

  test("names each variant", () => {
    expect(guide?.variants?.length).toBe(notifier.variants?.length);
  });

  test("suggests valid values, each time another one", () => {
    for (const [key, suggest] of Object.entries(guide?.suggestions ?? {})) {
      const made = Array.from({ length: 50 }, suggest);
      for (const value of made) expect(notifier.settings.shape[key]?.safeParse(value).success, value).toBe(true);
      expect(new Set(made).size).toBe(made.length);
    }
  });

  test("has advice for a silent phone exactly if it is an app on a phone", () => {
    expect(guide?.ifSilent !== undefined).toBe(phoneApps.includes(name));
    expect(guide?.ifSilent ?? ["One."]).toEqual(expect.arrayContaining([expect.stringMatching(/^[A-Z].*\.$/)]));
    if (guide?.ifSilent) expect(guide.intro?.length).toBeGreaterThan(0);
  });

  test("finds values of its own settings, with a credential of its own", () => {
    for (const [key, { credential }] of Object.entries(guide?.finders ?? {}))
      expect(keys).toEqual(expect.arrayContaining([key, credential]));
  });
});

describe("the guide of ntfy", () => {
  const ntfy = notifiers.find(({ name }) => name === "ntfy")?.guide;

  test("suggests a topic with 60 random bits", () => {
    expect(ntfy?.suggestions?.["topic"]?.()).toMatch(/^beckon-[a-km-np-z2-9]{12}$/);
  });

  test.each([
    ["the public server", { topic: "abc" }, "https://ntfy.sh/abc", "abc"],
    ["another server", { topic: "abc", server: "https://push.example" }, "https://push.example/abc", "another server"],
    ["this machine", { topic: "abc", server: "http://localhost:80" }, undefined, "this machine's name"],
  ])("names the topic and its address on %s", (_, settings, address, words) => {
    const steps = ntfy?.lastSteps?.(settings);
    expect(steps?.address).toBe(address);
    expect(steps?.lines.join("\n")).toContain(words);
  });

  test.each([{ topic: "${file:~/.secrets/topic}" }, { topic: "abc", server: "${env:NTFY}" }])(
    "shows no address if the user keeps a part of it elsewhere: %j",
    (settings) => {
      expect(ntfy?.lastSteps?.(settings)).toEqual({ lines: [expect.stringContaining("your topic")] });
    },
  );
});
