import { expect, test } from "vitest";
import { type Finding, showFinding } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";

const url = "https://hooks.example/T0/B0/x";
const slack = `{"type":"slack","url":"${url}"}`;

/** `error notifiers.team.url 3:1`. */
const positionOf = ({ level, path, line, column }: Finding): string => `${level} ${path} ${line}:${column}`;

test.each<[string, string, string, says: string]>([
  ["an unknown setting", '{\n  "routs": []\n}', "warning routs 2:3", "Did you mean `routes`?"],
  [
    "an unknown type of notifier",
    '{\n  "notifiers": {\n    "team": { "type": "slak" }\n  }\n}',
    "error notifiers.team.type 3:15",
    "Did you mean `slack`?",
  ],
  [
    "a password without a user",
    '{"notifiers":{"phone":{"type":"ntfy","topic":"x",\n"password":"${env:P}"}}}',
    "warning notifiers.phone.password 2:1",
    "Add `user`, or remove `password`.",
  ],
  ["a notifier without a type", '{"notifiers":{"team":{}}}', "error notifiers.team.type 1:15", "slack"],
  [
    "a name every object has as a type",
    '{"notifiers":{"team":{"type":"constructor"}}}',
    "error notifiers.team.type 1:23",
    "no such notifier",
  ],
  ["a notifier that is no object", '{"notifiers":{"team":null}}', "error notifiers.team.type 1:15", "One of"],
  [
    "a wrong value",
    '{"notifiers":{\n"team":{"type":"slack",\n"url":"nope"}}}',
    "error notifiers.team.url 3:1",
    "must be an http(s) URL",
  ],
  [
    "a missing value, at the nearest part that is there",
    '{"notifiers":{\n"team":{"type":"slack"}}}',
    "error notifiers.team.url 2:1",
    "notifiers.team.url is missing",
  ],
  [
    "a notifier with settings of two ways to send",
    '{"notifiers":{\n"team":{"type":"mattermost","url":"https://h","token":"t"}}}',
    "error notifiers.team 2:1",
    "Keep `url`, or `server`, `token` and `channel`.",
  ],
  [
    "a notifier with a part of one way to send",
    '{"notifiers":{\n"team":{"type":"mattermost","server":"https://h","token":"${env:T}"}}}',
    "error notifiers.team.channel 2:1",
    "notifiers.team.channel is missing",
  ],
  [
    "a reference inside a longer text",
    '{"notifiers":{"team":{"type":"slack","url":"https://h/${env:T}"}}}',
    "error notifiers.team.url 1:38",
    "a reference must be the whole value",
  ],
  [
    "a bad key of a record",
    '{"notifiers":{"h":{"type":"webhook","url":"https://h","headers":{"x y":"z"}}}}',
    'error notifiers.h.headers["x y"] 1:66',
    "must be the name of a header",
  ],
  [
    "a notifier's unknown setting, as a warning",
    '{"notifiers":{"team":{"type":"slack","url":"https://h",\n "urll":1}}}',
    "warning notifiers.team.urll 2:2",
    "Did you mean `url`?",
  ],
  [
    "an unknown name in a template",
    '{"templates":{"Stop":{\n"title":"{projct}"}}}',
    "error templates.Stop.title 2:1",
    "Did you mean {project}?",
  ],
  [
    "an unknown name in a list of templates",
    '{"templates":{"Stop":{"body":["{summary}","{nope}"]}}}',
    "error templates.Stop.body[1] 1:43",
    "unknown name {nope}",
  ],
  [
    "an unknown name in a notifier's own template",
    `{"notifiers":{"team":{"type":"slack","url":"${url}",\n"templates":{"Stop":{"title":"{tokns}"}}}}}`,
    "error notifiers.team.templates.Stop.title 2:22",
    "Did you mean {tokens}?",
  ],
  [
    "a template for an event that does not exist",
    '{"templates":{"Stopp":{"title":"x"}}}',
    "warning templates.Stopp 1:15",
    "Did you mean `Stop`?",
  ],
  [
    "a route to a notifier that does not exist",
    `{"notifiers":{"team":${slack}},\n"routes":[\n{"to":["team","teem"]}]}`,
    "error routes[0].to[1] 3:15",
    "Did you mean `team`?",
  ],
  [
    "a kind that does not exist",
    '{"routes":[{"kinds":["finishd"],"to":["x"]}]}',
    "error routes[0].kinds[0] 1:22",
    "Did you mean `finished`?",
  ],
  ["a route without notifiers", '{"routes":[{"on":["Stop"]}]}', "error routes[0].to 1:12", "routes[0].to is missing"],
  [
    "an unknown condition, which would widen the route",
    '{"routes":[{"proj":["x"],"to":["x"]}]}',
    "error routes[0].proj 1:13",
    "unknown condition",
  ],
  ["an unknown lookup", '{"lookups":["transcrip"]}', "error lookups[0] 1:13", "Did you mean `transcript`?"],
  [
    "a duration without a unit",
    '{"delivery":{"linger":5}}',
    "error delivery.linger 1:14",
    'must be a duration such as "30s" or "5m"',
  ],
  [
    "a duration that is too long",
    '{"delivery":{"retryDelays":["5s","2d"]}}',
    "error delivery.retryDelays[1] 1:34",
    'must be a duration from "100ms" to "1d"',
  ],
  ["a setting that is null", '{"delivery":null}', "error delivery 1:2", "expected object"],
  ["routes that are no list", '{"routes":{}}', "error routes 1:2", "expected array"],
  ["a configuration that is a list", " []", "error  1:2", "must be an object"],
  ["a configuration that is null", "null", "error  1:1", "must be an object"],
  ["an empty file", "", "error  1:1", "not valid JSON: value expected"],
  [
    "broken JSON below a comment",
    '{ // notifiers come later\n  "routes": [,]\n}',
    "error  2:14",
    "not valid JSON: value expected",
  ],
  [
    "a text that does not end",
    '{"notifiers": {"team": {"type": "slack',
    "error  1:33",
    "not valid JSON: unexpected end of string",
  ],
  ["nesting without an end", `{"x":\n${"[".repeat(200_000)}`, "error  2:100", "nested too deeply"],
])("a finding names the position of %s, and what to do", async (_, text, position, says) => {
  const { findings } = await parseConfig(text);
  expect(findings.map(positionOf)).toContain(position);
  expect(findings.map(showFinding).join("\n")).toContain(says);
});

test.each([
  ["linger", { delivery: { lingerSeconds: 5 } }],
  ["retryDelays", { delivery: { retryDelaysSeconds: [5] } }],
  ["expire", { delivery: { expireMinutes: { info: 5 } } }],
  ["timeout", { notifiers: { mine: { type: "command", run: ["mine"], timeoutSeconds: 5 } } }],
])("a key that names a unit is told of the one that takes any: %s", async (key, file) => {
  const { findings } = await parseConfig(JSON.stringify(file));
  expect(findings).toEqual([expect.objectContaining({ level: "warning", hint: `Did you mean \`${key}\`?` })]);
});

test("text that is no JSON is one finding, however often the parser stumbles over it", async () => {
  const { findings } = await parseConfig("}{:,]".repeat(1000));
  expect(findings.filter(({ message }) => message.startsWith("not valid JSON"))).toHaveLength(1);
});

test("no finding holds the value of a secret", async () => {
  const secret = "canary-4711-canary";
  const file = {
    notifiers: {
      a: { type: "slack", url: secret },
      b: { type: "webhook", url: "https://h", secret, headers: { "x y": secret } },
    },
    service: { apiKey: 5, baseUrl: secret },
  };
  const { findings } = await parseConfig(JSON.stringify(file));
  expect(findings.filter(({ level }) => level === "error").length).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify(findings)).not.toContain(secret);
});
