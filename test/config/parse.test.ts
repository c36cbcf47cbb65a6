import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Config, Finding } from "../../src/config/config.ts";
import { configTable, settingNames } from "../../src/config/config-table.ts";
import { defaultValues, parseConfig, type SectionName, sectionSchemas } from "../../src/config/parse.ts";

describe("parse", () => {
  const url = "https://hooks.example/T0/B0/x";
  const slack = { type: "slack", url };
  const defaults = {
    retryDelays: [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000],
    expire: { "needs-you": 900_000, failed: 86_400_000, finished: 21_600_000, info: 3_600_000 },
    linger: 5_000,
  };

  const parse = (value: unknown): Promise<Config> => parseConfig(JSON.stringify(value, undefined, 2));
  const errors = ({ findings }: Config): readonly Finding[] => findings.filter(({ level }) => level === "error");

  test("without a file every notifier gets all but info, and the transcript is read", async () => {
    const { routes, notifiers, lookups, delivery, templates, findings } = await parseConfig(undefined);
    expect(routes).toEqual([{ kinds: ["needs-you", "failed", "finished"], to: [...notifiers.keys()] }]);
    expect([lookups, delivery, templates, findings]).toEqual([["transcript"], defaults, {}, []]);
  });

  describe("only the wrong part is dropped", () => {
    test("a wrong notifier disables only itself, and routes work without it", async () => {
      const notifiers = { bad: { type: "slack", url: "nope" }, good: slack, none: { type: "none" } };
      const config = await parse({ notifiers, routes: [{ to: ["bad", "good", "none"] }] });
      expect([...config.notifiers.keys()]).toEqual(["good"]);
      expect(config.routes).toEqual([{ to: ["good"] }]);
      expect(errors(config).map(({ path }) => path)).toEqual(["notifiers.bad.url", "notifiers.none.type"]);
    });

    test("a notifier with an unknown setting works without the setting", async () => {
      const { notifiers } = await parse({ notifiers: { team: { ...slack, urll: "${command:never run}" } } });
      expect(notifiers.get("team")?.settings).toEqual({ url });
    });

    test("a wrong route is dropped alone", async () => {
      const routes = [{ kinds: ["nope"], to: ["team"] }, { to: ["team"] }, 5];
      const config = await parse({ notifiers: { team: slack }, routes });
      expect(config.routes).toEqual([{ to: ["team"] }]);
      expect(errors(config)).toHaveLength(2);
    });

    test("a route with an unknown condition is dropped, as it would match too much", async () => {
      const known = { kinds: ["failed"], to: ["team"] };
      const routes = [{ project: ["~/work/**"], to: ["team"] }, known];
      expect((await parse({ notifiers: { team: slack }, routes })).routes).toEqual([known]);
    });

    test("a wrong template leaves the others alone", async () => {
      const config = await parse({ templates: { Stop: { title: "{nope}" }, Notification: { title: "{project}" } } });
      expect(config.templates).toEqual({ Notification: { title: "{project}" } });
    });

    test("a wrong duration has its default, and the others apply", async () => {
      const delivery = { linger: "-1s", retryDelays: ["1s"], expire: { info: "5m", infoo: "6m" } };
      const config = await parse({ delivery });
      const expire = { ...defaults.expire, info: 300_000 };
      expect(config.delivery).toEqual({ ...defaults, retryDelays: [1_000], expire });
    });

    test("a wrong service profile is dropped alone, and its unknown keys are ignored", async () => {
      const profiles = { bad: { baseUrl: 7 }, good: { apiKey: "${env:B}", baseUrll: "x" } };
      const service = { baseUrl: "https://api.example.com", apiKey: "${env:A}" };
      const config = await parse({ service: { ...service, profiles } });
      expect(config.lookupSettings).toEqual({ service });
      expect(config.lookupProfiles).toEqual({ service: { good: { apiKey: "${env:B}" } } });
      const found = config.findings.map(({ level, path }) => `${level} ${path}`);
      expect(found).toEqual(["error service.profiles.bad.baseUrl", "warning service.profiles.good.baseUrll"]);
    });

    test("unknown keys named like properties of every object are harmless", async () => {
      const config = await parseConfig(
        `{"__proto__":{"routes":[]},"constructor":{"prototype":{"polluted":1}},"toString":1,
        "notifiers":{"__proto__":${JSON.stringify(slack)},"toString":${JSON.stringify(slack)}},
        "templates":{"__proto__":{"title":"x"}},"delivery":{"__proto__":{"linger":"9s"}}}`,
      );
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      expect([...config.notifiers.keys()]).toEqual(["toString"]);
      expect(config.delivery).toEqual(defaults);
      expect(config.delivery.linger).toBe(5_000);
      const unknown = config.findings.filter(({ level }) => level === "warning").map(({ path }) => path);
      expect(unknown).toEqual(expect.arrayContaining(["__proto__", "constructor", "toString"]));
    });
  });

  describe("a reference", () => {
    test("replaces any text of a notifier", async () => {
      for (const reference of ["${env:A}", "${file:~/a}", "${command:pass show a}"]) {
        const settings = { url: reference, secret: reference, headers: { authorization: reference } };
        const config = await parse({ notifiers: { h: { type: "webhook", ...settings } } });
        expect([config.findings, config.notifiers.get("h")?.settings]).toEqual([[], settings]);
      }
    });

    test.each([
      ["routes", { routes: "${env:A}" }],
      ["routes[0].to", { routes: [{ to: "${env:A}" }] }],
      ["lookups", { lookups: "${env:A}" }],
      ["notifiers", { notifiers: "${env:A}" }],
      ["delivery", { delivery: "${env:A}" }],
      ["delivery.linger", { delivery: { linger: "${env:A}" } }],
      ["templates.Stop", { templates: { Stop: "${env:A}" } }],
      ["notifiers.team.templates", { notifiers: { team: { ...slack, templates: "${env:A}" } } }],
    ])("is not a value for %s, which nobody resolves", async (path, value) => {
      const config = await parse(value);
      expect(errors(config).map((finding) => finding.path)).toContain(path);
      expect(config.delivery).toEqual(defaults);
    });
  });

  const names = ["notifiers", "routes", "lookups", "templates", "delivery", "service", "transcript", "__proto__"];
  const inner = [
    ...["type", "url", "to", "on", "kinds", "projects", "title", "body", "Stop", "linger", "expire"],
    ...["headers", "secret", "templates", "apiKey", "baseUrl", "constructor", "team"],
  ];
  const leaf = fc.oneof(
    fc.constantFrom("slack", "webhook", "${env:A}", "${file:/a}", "team", "{project}", "{nope}", url, "", "Stop"),
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: "config" },
      leaf,
      fc.array(tie("value"), { maxLength: 3, depthIdentifier: "config" }),
      fc.dictionary(fc.constantFrom(...inner), tie("value"), { maxKeys: 4, depthIdentifier: "config" }),
    ),
  }));
  const part = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 });

  function expectUsable(config: Config): void {
    expect(config.delivery.retryDelays.length).toBeGreaterThan(0);
    expect(config.delivery.expire["needs-you"]).toBeGreaterThan(0);
    expect(config.delivery.linger).toBeGreaterThanOrEqual(0);
    for (const { to } of config.routes) for (const name of to) expect(config.notifiers.has(name)).toBe(true);
    for (const name of config.lookups) expect(typeof name).toBe("string");
    expect(typeof config.templates).toBe("object");
    for (const { level, path, message } of config.findings) {
      expect(["error", "warning"]).toContain(level);
      expect([typeof path, typeof message]).toEqual(["string", "string"]);
    }
  }

  const whole = fc.oneof(part, value, fc.jsonValue()).map((json) => JSON.stringify(json ?? null));
  const broken = fc
    .tuple(part, fc.nat(400), fc.string({ maxLength: 5 }))
    .map(([json, at, text]) => JSON.stringify(json).slice(0, at) + text + JSON.stringify(json).slice(at + 1));
  test.each([
    ["any JSON", whole],
    ["cut, shuffled or invalid JSON", fc.oneof(broken, fc.string({ unit: "binary" }))],
  ])("%s gives a usable configuration", async (_, texts) => {
    const check = async (text: string) => expectUsable(await parseConfig(text));
    await fc.assert(fc.asyncProperty(texts, check), { numRuns: 300 });
  });
});

describe("sections", () => {
  const names = Object.keys(sectionSchemas) as SectionName[];

  test("every setting of the table is a section, or has a separate reader", () => {
    expect([...names, "notifiers", "routes", "lookups"].sort()).toEqual([...settingNames].sort());
  });

  test.each(names)("%s is read from the file as the table says, or has its default", async (name) => {
    const { [name]: absent } = await parseConfig("{}");
    expect(absent).toEqual(configTable[name].parse(undefined));
    const written = z.encode(configTable[name] as z.ZodType, defaultValues[name] ?? samples[name]);
    const { [name]: value, findings } = await parseConfig(JSON.stringify({ [name]: written }));
    expect({ value, findings }).toEqual({ value: configTable[name].parse(written), findings: [] });
  });

  test("a request at the terminal that you look at may be delayed, and never skipped", async () => {
    const read = async (value: string) =>
      parseConfig(JSON.stringify({ attention: { watching: { "needs-you": value } } }));
    expect((await read("2m")).attention.watching["needs-you"]).toBe(120_000);
    const { attention, findings } = await read("skip");
    expect(attention.watching["needs-you"]).toBe(30_000);
    expect(findings).toMatchObject([{ level: "error", path: "attention.watching.needs-you" }]);
  });

  /** Values of the settings without defaults. */
  const samples: Partial<Record<SectionName, unknown>> = {
    $schema: "./config.schema.json",
    relay: { from: [{ via: ["ssh", "devbox"], host: "devbox" }] },
  };
});
