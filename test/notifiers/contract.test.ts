import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { audiences, type Notifier } from "../../src/core/notifier.ts";
import { isSecret } from "../../src/core/secret.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { describeNotifier } from "./contract/describe-notifier.ts";
import type { Cases } from "./contract/notifier-case.ts";

const notifiers = await Promise.all(
  Object.entries(notifierLoaders).map(async ([name, load]) => ({ name, notifier: await load() })),
);

describe.each(notifiers)("$name", ({ name, notifier }) => {
  test("has its file's name and a complete declaration", () => {
    expect(notifier.name).toBe(name);
    expect(notifier.summary).toMatch(/^[A-Z].*\.$/);
    expect(new URL(notifier.source).protocol).toBe("https:");
    expect(audiences).toContain(notifier.audience);
    expect(notifier.budgetMs).toBeGreaterThan(0);
  });

  test("has a valid example, and describes every setting", () => {
    expect(notifier.settings.safeParse(notifier.example).error).toBeUndefined();
    const { properties = {} } = z.toJSONSchema(notifier.settings, { io: "input", unrepresentable: "any" });
    for (const [key, property] of Object.entries(properties)) {
      expect((property as { description?: string }).description, key).toMatch(/\.$/);
    }
  });

  test("has optional settings for each of its variants, and an example of one variant", () => {
    const { variants = [[]], settings, example } = notifier;
    const begun = variants.filter((keys) => keys.some((key) => Object.hasOwn(example, key)));
    if (notifier.variants) expect(begun).toHaveLength(1);
    for (const key of begun.flat()) expect(example).toHaveProperty(key);
    for (const key of variants.flat()) expect(settings.shape[key]?.safeParse(undefined).success, key).toBe(true);
    expect(new Set(variants.flat()).size).toBe(variants.flat().length);
  });

  test("has its defaults in the JSON schema", () => {
    const { properties = {} } = z.toJSONSchema(notifier.settings, { io: "input", unrepresentable: "any" });
    const withDefault = Object.entries(notifier.settings.shape).filter(([, schema]) => schema instanceof z.ZodDefault);
    for (const [key] of withDefault) expect((properties[key] as { default?: unknown }).default, key).toBeDefined();
  });

  test("declares settings that hold secrets as secret", () => {
    const named = Object.entries(notifier.settings.shape).filter(([key]) =>
      /url|token|key(?!word)|secret|password/i.test(key),
    );
    for (const [key, schema] of named) {
      if (!isOpen(key)) expect(isSecret(schema as z.ZodType), key).toBe(true);
    }
  });
});

const withFallback = notifiers.flatMap(({ name, notifier: { limits, fallbackLimits } }) =>
  fallbackLimits ? [{ name, limits, fallbackLimits }] : [],
);
test.each(withFallback)("$name has a shorter fallback form", ({ limits, fallbackLimits }) => {
  expect(fallbackLimits.unit).toBe(limits.unit);
  expect(fallbackLimits.title).toBeLessThanOrEqual(limits.title);
  expect(fallbackLimits.body).toBeLessThan(limits.body);
});

// The other beckon handles messages handed over: test/relay.
const own = notifiers.filter(({ notifier }) => notifier.relays !== true);
const exists = (file: string) => existsSync(new URL(file, import.meta.url));
const withCases = await Promise.all(
  own.map(async ({ name, notifier }) => {
    const cases: Partial<Cases> = exists(`./cases/${name}.ts`) ? await import(`./cases/${name}.ts`) : {};
    return { name, notifier: notifier as Notifier, cases };
  }),
);

describe.each(withCases)("$name", ({ name, notifier, cases }) => {
  describeNotifier(notifier, cases);

  test("has cases for what it can do", () => {
    const { lifecycle, verification, update, withdraw } = notifier;
    const isHttp = "request" in notifier;
    const real = readFileSync(new URL("./desktop.real.test.ts", import.meta.url), "utf8");
    const isReal = name === "desktop" && real.includes("describeChanges(desktop, changeCase,");
    expect((cases.httpCase ?? cases.httpCases) !== undefined, "messages").toBe(isHttp);
    expect(cases.changeCase !== undefined || isReal, "changes").toBe((update ?? withdraw) !== undefined);
    expect(cases.probeCase !== undefined, "probe").toBe(isHttp && verification !== undefined);
    expect(cases.reactionCase !== undefined, "reactions").toBe(lifecycle?.reactions !== undefined);
  });
});

/** Finds the files that a file loads, directly or through others: those it imports for more than types. */
function findLoaded(start: string): Set<string> {
  const seen = new Set([start]);
  for (const file of seen) {
    const text = file.endsWith(".ts") ? readFileSync(new URL(`../../${file}`, import.meta.url), "utf8") : "";
    const lines = text.matchAll(/(?:^(?:import|export)\b(?! type\b)(?:[^;"]*\bfrom)? |\bimport\()"(\.[^"]+)"/gm);
    for (const [, to = ""] of lines) seen.add(posix.join(posix.dirname(file), to));
  }
  return seen;
}

test("a notifier's own test and the contracts load notifiers alone, and nothing that delivers or configures", () => {
  const others = /^src\/(?!config\/check\.|core\/|files\/|io\/|notifiers\/|text\/)|^src\/notifiers\/registry/;
  const find = (file: string) => [...findLoaded(`test/notifiers/${file}`)].filter((loaded) => others.test(loaded));
  const tests = own.map(({ name }) => `${name}.test.ts`).filter((file) => exists(`./${file}`));
  const alone = [...tests, "contract/describe-notifier.ts"];
  expect(alone.flatMap((file) => find(file).map((loaded) => `${file}: ${loaded}`))).toEqual([]);
  const delivering = ["src/pipeline/deliver.ts", "src/journal/journal.ts"];
  expect(find("delivery.test.ts")).toEqual(expect.arrayContaining(delivering));
});

test.each(notifiers.filter(({ notifier }) => notifier.lifecycle?.repeats))(
  "$name can withdraw what it repeats",
  ({ notifier: { withdraw, lifecycle } }) => {
    expect(withdraw).toBeDefined();
    expect(lifecycle?.repeats?.everyMs).toBeGreaterThanOrEqual(10_000); // each message is repeated at this interval
  },
);

test.each(notifiers)("$name declares the lifecycle of its messages exactly if it has the verbs", ({ notifier }) => {
  const { name, lifecycle, withdraw, update } = notifier;
  expect(lifecycle?.withdrawn !== undefined, "withdraw").toBe(withdraw !== undefined);
  if (update ?? lifecycle?.replaces)
    expect(lifecycle?.withdrawn, "what can be updated or replaced can be withdrawn").toBeDefined();
  expect(lifecycle?.buttons?.includes("seen") ?? false, "reactions").toBe(
    lifecycle?.reactions !== undefined || name === "desktop", // which gets clicks
  );
  expect(lifecycle?.condition ?? "a phrase").toMatch(/^[a-z].*[^.]$/);
  expect(lifecycle, "an empty declaration").not.toEqual({});
});

/**
 * True for the name of a setting without a secret: the address of a self-hosted server, and a keyword for every
 * message.
 */
const isOpen = (key: string): boolean => key === "server" || key === "keyword";
