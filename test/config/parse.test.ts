import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Config, Finding } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";

const url = "https://hooks.example/T0/B0/x";
const slack = { type: "slack", url };
const defaults = {
  retryDelaysSeconds: [5, 30, 120, 600, 1800, 7200, 21_600],
  expireMinutes: { "needs-you": 15, failed: 1440, finished: 360, info: 60 },
  lingerSeconds: 5,
};

const parse = (value: unknown): Promise<Config> => parseConfig(JSON.stringify(value, undefined, 2));
const errors = ({ findings }: Config): readonly Finding[] => findings.filter(({ level }) => level === "error");

describe("without a file", () => {
  let config: Config;
  beforeAll(async () => {
    config = await parseConfig(undefined);
  });

  test("everything but info goes to every notifier there is", () => {
    expect(config.routes).toEqual([{ kinds: ["needs-you", "failed", "finished"], to: [...config.notifiers.keys()] }]);
  });

  test("the transcript is looked at, and deliveries have their defaults", () => {
    expect(config.lookups).toEqual(["transcript"]);
    expect(config.delivery).toEqual(defaults);
    expect(config.templates).toEqual({});
  });

  test("nothing names a line of a file", () => {
    for (const finding of config.findings) expect(finding).not.toHaveProperty("line");
  });
});

test("the sample of the documentation is valid as it stands, comments and trailing commas included", async () => {
  const config = await parseConfig(`{
    // for editors
    "$schema": "./config.schema.json",
    "notifiers": {
      "team": { "type": "slack", "url": "\${env:SLACK_WEBHOOK_URL}" },
      "hook": { "type": "webhook", "url": "https://example.org/in", "secret": "\${file:~/.secrets/hook}", },
    },
    "routes": [
      { "on": ["Notification"], "to": ["team", "hook"] },
      { "on": ["Stop"], "projects": ["~/code/**"], "to": ["team"] },
      { "on": ["SessionEnd"], "reasons": ["error", "other"], "to": ["team"] },
      { "kinds": ["failed"], "agents": ["droid"], "to": ["hook"] }, /* the last */
    ],
    "lookups": ["transcript", "service"],
    "service": { "baseUrl": "https://api.example.org", "apiKey": "\${env:BECKON_API_KEY}" },
    "templates": { "Stop": { "title": "{project}: done", "body": "{summary}" } },
  }`);
  expect(config.findings).toEqual([]);
  expect([...config.notifiers.keys()]).toEqual(["team", "hook"]);
  expect(config.notifiers.get("hook")).toMatchObject({
    name: "hook",
    settings: { url: "https://example.org/in", secret: "${file:~/.secrets/hook}" },
    templates: {},
  });
  expect(config.routes).toHaveLength(4);
  expect(config.routes[3]).toEqual({ kinds: ["failed"], agents: ["droid"], to: ["hook"] });
  expect(config.lookups).toEqual(["transcript", "service"]);
  expect(config.lookupSettings).toMatchObject({ service: { apiKey: "${env:BECKON_API_KEY}" } });
  expect(config.templates).toEqual({ Stop: { title: "{project}: done", body: "{summary}" } });
});

describe("a mistake is told with its place", () => {
  test.each<[string, string, Partial<Finding>]>([
    [
      "an unknown part",
      '{\n  "routs": []\n}',
      { level: "warning", path: "routs", line: 2, column: 3, hint: "Did you mean `routes`?" },
    ],
    [
      "an unknown type of notifier",
      '{\n  "notifiers": {\n    "team": { "type": "slak" }\n  }\n}',
      { level: "error", path: "notifiers.team.type", line: 3, column: 15, hint: "Did you mean `slack`?" },
    ],
    [
      "a notifier without a type",
      '{"notifiers":{"team":{}}}',
      { level: "error", path: "notifiers.team.type", line: 1, column: 15, hint: expect.stringContaining("slack") },
    ],
    [
      "a name every object has as a type",
      '{"notifiers":{"team":{"type":"constructor"}}}',
      { level: "error", path: "notifiers.team.type", line: 1, column: 23 },
    ],
    [
      "a notifier that is no object",
      '{"notifiers":{"team":null}}',
      { level: "error", path: "notifiers.team.type", line: 1, column: 15 },
    ],
    [
      "a wrong value",
      '{"notifiers":{\n"team":{"type":"slack",\n"url":"nope"}}}',
      { level: "error", path: "notifiers.team.url", line: 3, column: 1, message: "must be an http(s) URL" },
    ],
    [
      "a missing value, at the nearest place there is",
      '{"notifiers":{\n"team":{"type":"slack"}}}',
      { level: "error", path: "notifiers.team.url", line: 2, column: 1, message: "notifiers.team.url is missing" },
    ],
    [
      "a reference inside a longer text",
      '{"notifiers":{"team":{"type":"slack","url":"https://h/${env:T}"}}}',
      { level: "error", path: "notifiers.team.url", message: "a reference must be the whole value" },
    ],
    [
      "a bad key of a record",
      '{"notifiers":{"h":{"type":"webhook","url":"https://h","headers":{"x y":"z"}}}}',
      { level: "error", path: 'notifiers.h.headers["x y"]', line: 1, column: 66 },
    ],
    [
      "a setting that does not exist, as a warning",
      '{"notifiers":{"team":{"type":"slack","url":"https://h",\n "urll":1}}}',
      { level: "warning", path: "notifiers.team.urll", line: 2, column: 2, hint: "Did you mean `url`?" },
    ],
    [
      "an unknown name in a template",
      '{"templates":{"Stop":{\n"title":"{projct}"}}}',
      { level: "error", path: "templates.Stop.title", line: 2, column: 1, hint: "Did you mean {project}?" },
    ],
    [
      "an unknown name in a list of templates",
      '{"templates":{"Stop":{"body":["{summary}","{nope}"]}}}',
      { level: "error", path: "templates.Stop.body[1]", line: 1, column: 43, message: "unknown name {nope}" },
    ],
    [
      "an unknown name in a notifier's own template",
      `{"notifiers":{"team":{"type":"slack","url":"${url}","templates":{"Stop":{"title":"{tokns}"}}}}}`,
      { level: "error", path: "notifiers.team.templates.Stop.title", hint: "Did you mean {tokens}?" },
    ],
    [
      "a template for an event that does not exist",
      '{"templates":{"Stopp":{"title":"x"}}}',
      { level: "warning", path: "templates.Stopp", line: 1, column: 15, hint: "Did you mean `Stop`?" },
    ],
    [
      "a route to a notifier that does not exist",
      `{"notifiers":{"team":${JSON.stringify(slack)}},\n"routes":[\n{"to":["team","teem"]}]}`,
      { level: "error", path: "routes[0].to[1]", line: 3, column: 15, hint: "Did you mean `team`?" },
    ],
    [
      "a kind that does not exist",
      '{"routes":[{"kinds":["finishd"],"to":["x"]}]}',
      { level: "error", path: "routes[0].kinds[0]", line: 1, column: 22, hint: "Did you mean `finished`?" },
    ],
    [
      "a route that leads nowhere",
      '{"routes":[{"on":["Stop"]}]}',
      { level: "error", path: "routes[0].to", line: 1, column: 12, message: "routes[0].to is missing" },
    ],
    [
      "an unknown condition, which would widen the route",
      '{"routes":[{"proj":["x"],"to":["x"]}]}',
      { level: "error", path: "routes[0].proj", line: 1, column: 13 },
    ],
    ["an unknown lookup", '{"lookups":["transcrip"]}', { level: "error", path: "lookups[0]", line: 1, column: 13 }],
    [
      "a negative time",
      '{"delivery":{"lingerSeconds":-1}}',
      { level: "error", path: "delivery.lingerSeconds", line: 1, column: 14 },
    ],
    ["routes that are no list", '{"routes":{}}', { level: "error", path: "routes", line: 1, column: 2 }],
    ["a configuration that is a list", " []", { level: "error", path: "", line: 1, column: 2 }],
    ["a configuration that is null", "null", { level: "error", path: "", line: 1, column: 1 }],
    ["an empty file", "", { level: "error", path: "", line: 1, column: 1, message: "not valid JSON: value expected" }],
    [
      "broken JSON below a comment",
      '{ // notifiers come later\n  "routes": [,]\n}',
      { level: "error", path: "", line: 2, column: 14, message: "not valid JSON: value expected" },
    ],
    [
      "a text that does not end",
      '{"notifiers": {"team": {"type": "slack',
      {
        level: "error",
        path: "",
        line: 1,
        message: expect.stringMatching(/^not valid JSON: unexpected end of string/),
      },
    ],
    [
      "nesting without an end",
      `{"x":\n${"[".repeat(200_000)}`,
      { level: "error", path: "", line: 2, column: 100, message: "nested too deeply" },
    ],
  ])("%s", async (_, text, finding) => {
    const { findings } = await parseConfig(text);
    expect(findings).toContainEqual(expect.objectContaining(finding));
  });

  test("once, however often the parser stumbles over it", async () => {
    const { findings } = await parseConfig("}{:,]".repeat(1000));
    expect(findings.filter(({ message }) => message.startsWith("not valid JSON"))).toHaveLength(1);
  });

  test("and never with the value of a secret", async () => {
    const secret = "canary-4711-canary";
    const config = await parse({
      notifiers: {
        a: { type: "slack", url: secret },
        b: { type: "webhook", url: "https://h", secret, headers: { "x y": secret } },
      },
      service: { apiKey: 5, baseUrl: secret },
    });
    expect(errors(config).length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(config.findings)).not.toContain(secret);
  });
});

describe("what is wrong is left out, and the rest holds", () => {
  test("a notifier that is wrong disables itself alone, and routes go on without it", async () => {
    const config = await parse({
      notifiers: { bad: { type: "slack", url: "nope" }, good: slack, none: { type: "none" } },
      routes: [{ to: ["bad", "good", "none"] }],
    });
    expect([...config.notifiers.keys()]).toEqual(["good"]);
    expect(config.routes).toEqual([{ to: ["good"] }]);
    expect(errors(config).map(({ path }) => path)).toEqual(["notifiers.bad.url", "notifiers.none.type"]);
  });

  test("a notifier with an unknown setting works, without the setting", async () => {
    const { notifiers } = await parse({ notifiers: { team: { ...slack, urll: "${command:never run}" } } });
    expect(notifiers.get("team")?.settings).toEqual({ url });
  });

  test("a route that is wrong is left out alone", async () => {
    const config = await parse({
      notifiers: { team: slack },
      routes: [{ kinds: ["nope"], to: ["team"] }, { to: ["team"] }, 5],
    });
    expect(config.routes).toEqual([{ to: ["team"] }]);
    expect(errors(config)).toHaveLength(2);
  });

  test("a template that is wrong leaves the others alone", async () => {
    const config = await parse({ templates: { Stop: { title: "{nope}" }, Notification: { title: "{project}" } } });
    expect(config.templates).toEqual({ Notification: { title: "{project}" } });
  });

  test("a time that is wrong has its default, and the others hold", async () => {
    const delivery = { lingerSeconds: -1, retryDelaysSeconds: [1], expireMinutes: { info: 5, infoo: 6 } };
    const config = await parse({ delivery });
    expect(config.delivery).toEqual({
      ...defaults,
      retryDelaysSeconds: [1],
      expireMinutes: { ...defaults.expireMinutes, info: 5 },
    });
  });

  test("unknown keys named like parts of every object do no harm", async () => {
    const config = await parseConfig(
      `{"__proto__":{"routes":[]},"constructor":{"prototype":{"polluted":1}},"toString":1,
        "notifiers":{"__proto__":${JSON.stringify(slack)},"toString":${JSON.stringify(slack)}},
        "templates":{"__proto__":{"title":"x"}},"delivery":{"__proto__":{"lingerSeconds":9}}}`,
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect([...config.notifiers.keys()]).toEqual(["toString"]);
    expect(config.delivery).toEqual(defaults);
    expect(config.delivery.lingerSeconds).toBe(5);
    const unknown = config.findings.filter(({ level }) => level === "warning").map(({ path }) => path);
    expect(unknown).toEqual(expect.arrayContaining(["__proto__", "constructor", "toString"]));
  });
});

describe("a reference", () => {
  test.each(["${env:A}", "${file:~/a}", "${command:pass show a}"])(
    "%s stands for any text of a notifier",
    async (reference) => {
      const headers = { authorization: reference };
      const config = await parse({ notifiers: { h: { type: "webhook", url: reference, secret: reference, headers } } });
      expect(config.findings).toEqual([]);
      expect(config.notifiers.get("h")?.settings).toEqual({ url: reference, secret: reference, headers });
    },
  );

  test.each([
    ["routes", { routes: "${env:A}" }],
    ["routes[0].to", { routes: [{ to: "${env:A}" }] }],
    ["lookups", { lookups: "${env:A}" }],
    ["notifiers", { notifiers: "${env:A}" }],
    ["delivery", { delivery: "${env:A}" }],
    ["delivery.lingerSeconds", { delivery: { lingerSeconds: "${env:A}" } }],
    ["templates.Stop", { templates: { Stop: "${env:A}" } }],
    ["notifiers.team.templates", { notifiers: { team: { ...slack, templates: "${env:A}" } } }],
  ])("is no value for %s, where nobody resolves it", async (path, value) => {
    const config = await parse(value);
    expect(errors(config).map((finding) => finding.path)).toContain(path);
    expect(config.delivery).toEqual(defaults);
  });
});

describe("whatever the text", () => {
  const names = ["notifiers", "routes", "lookups", "templates", "delivery", "service", "transcript", "__proto__"];
  const inner = [
    ...["type", "url", "to", "on", "kinds", "projects", "title", "body", "Stop", "lingerSeconds", "expireMinutes"],
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
    expect(config.delivery.retryDelaysSeconds.length).toBeGreaterThan(0);
    expect(config.delivery.expireMinutes["needs-you"]).toBeGreaterThan(0);
    expect(config.delivery.lingerSeconds).toBeGreaterThanOrEqual(0);
    for (const { to } of config.routes) for (const name of to) expect(config.notifiers.has(name)).toBe(true);
    for (const name of config.lookups) expect(typeof name).toBe("string");
    expect(typeof config.templates).toBe("object");
    for (const { level, path, message } of config.findings) {
      expect(["error", "warning"]).toContain(level);
      expect([typeof path, typeof message]).toEqual(["string", "string"]);
    }
  }

  test("a configuration comes out that can be worked with: any JSON", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(part, value, fc.jsonValue()), async (json) => {
        expectUsable(await parse(json ?? null));
      }),
      { numRuns: 300 },
    );
  });

  test("a configuration comes out that can be worked with: JSON cut, mixed up, or none at all", async () => {
    const broken = fc
      .tuple(part, fc.nat(400), fc.string({ maxLength: 5 }))
      .map(([json, at, text]) => JSON.stringify(json).slice(0, at) + text + JSON.stringify(json).slice(at + 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(broken, fc.string({ unit: "binary" })), async (text) => {
        expectUsable(await parseConfig(text));
      }),
      { numRuns: 300 },
    );
  });
});

test("a route with an unknown condition does not hold: it would reach further than meant", async () => {
  const config = await parseConfig(
    JSON.stringify({
      notifiers: { team: slack },
      routes: [
        { project: ["~/work/**"], to: ["team"] },
        { kinds: ["failed"], to: ["team"] },
      ],
    }),
  );
  expect(config.routes).toEqual([{ kinds: ["failed"], to: ["team"] }]);
});
