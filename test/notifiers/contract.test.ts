import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { isSecret } from "../../src/core/secret.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";

const notifiers = await Promise.all(
  Object.entries(notifierLoaders).map(async ([name, load]) => ({ name, notifier: await load() })),
);

describe.each(notifiers)("$name", ({ name, notifier }) => {
  test("declares itself under the name of its file", () => {
    expect(notifier.name).toBe(name);
    expect(notifier.summary).toMatch(/^[A-Z].*\.$/);
    expect(new URL(notifier.source).protocol).toBe("https:");
    expect(notifier.budgetMs).toBeGreaterThan(0);
  });

  test("has an example that its own schema takes, and describes every setting", () => {
    expect(notifier.settings.safeParse(notifier.example).error).toBeUndefined();
    const { properties = {} } = z.toJSONSchema(notifier.settings, { io: "input", unrepresentable: "any" });
    for (const [key, property] of Object.entries(properties)) {
      expect((property as { description?: string }).description, key).toMatch(/\.$/);
    }
  });

  test("has its defaults in the schema that editors and documents are made from", () => {
    const { properties = {} } = z.toJSONSchema(notifier.settings, { io: "input", unrepresentable: "any" });
    const withDefault = Object.entries(notifier.settings.shape).filter(([, schema]) => schema instanceof z.ZodDefault);
    for (const [key] of withDefault) expect((properties[key] as { default?: unknown }).default, key).toBeDefined();
  });

  test("keeps what is secret in fields made for that", () => {
    const telling = Object.entries(notifier.settings.shape).filter(([key]) =>
      /url|token|key(?!word)|secret|password/i.test(key),
    );
    for (const [key, schema] of telling) {
      if (!isOpen(key)) expect(isSecret(schema as z.ZodType), key).toBe(true);
    }
  });

  test("has a plainer form that is smaller, if it has one", () => {
    const { plainer, limits } = notifier;
    if (!plainer) return;
    expect(plainer.unit).toBe(limits.unit);
    expect(plainer.title).toBeLessThanOrEqual(limits.title);
    expect(plainer.body).toBeLessThan(limits.body);
  });

  test("passes the contract of what is posted, if it posts", () => {
    if (!("request" in notifier)) return;
    const source = readFileSync(new URL(`./${name}.test.ts`, import.meta.url), "utf8");
    expect(source).toContain(`describeHttpNotifier(${camelCase(name)}, {`);
    if (notifier.probe) expect(source).toContain(`describeProbe(${camelCase(name)}, {`);
  });
});

/** Addresses of one's own server hold no secret, and a robot's keyword stands in every message. */
const isOpen = (key: string): boolean => key === "server" || key === "keyword";
const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
