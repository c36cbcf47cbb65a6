import { expect, test } from "vitest";
import * as z from "zod";
import { check } from "../../src/config/check.ts";
import { type Finding, showFinding } from "../../src/config/config.ts";
import { parseConfig, sectionSchemas } from "../../src/config/parse.ts";
import { routeSchema } from "../../src/config/route-table.ts";
import { unwrapSchema } from "../../src/core/unwrap-schema.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";

const url = "https://hooks.example/T0/B0/x";
const slack = `{"type":"slack","url":"${url}"}`;

/** Formats a finding as `error notifiers.team.url 3:1`. */
const formatPosition = ({ level, path, line, column }: Finding): string => `${level} ${path} ${line}:${column}`;

/** Makes a configuration with a notifier `team`, whose settings are on a line of their own. */
const team = (settings: string) => `{"notifiers":{\n"team":${settings}}}`;
const inLine = (settings: string) => `{"notifiers":{"team":${settings}}}`;
const templates = (kind: string) => `{"templates":{"Stop":{${kind}}}}`;
const keepOne = "Keep `url`, or `server`, `token` and `channel`.";
const tokns = `{"type":"slack","url":"${url}",\n"templates":{"Stop":{"title":"{tokns}"}}}`;
const unlocked = '{"notifiers":{"phone":{"type":"ntfy","topic":"x",\n"password":"${env:P}"}}}';
const twoWays = '{"type":"mattermost","url":"https://h","token":"t"}';
const halfWay = '{"type":"mattermost","server":"https://h","token":"${env:T}"}';
const header = '{"notifiers":{"h":{"type":"webhook","url":"https://h","headers":{"x y":"z"}}}}';
const range = 'must be a duration from "100ms" to "1d"';
const wholeValue = "a reference must be the whole value";
const teem = '"routes":[\n{"to":["team","teem"]}]';

const findingRows: readonly [text: string, position: string, says: string][] = [
  ['{\n  "routs": []\n}', "warning routs 2:3", "Did you mean `routes`?"],
  [`{\n  "notifiers": {\n    "team": { "type": "slak" }}}`, "error notifiers.team.type 3:15", "Did you mean `slack`?"],
  [unlocked, "warning notifiers.phone.password 2:1", "Add `user`, or remove `password`."],
  [inLine("{}"), "error notifiers.team.type 1:15", "slack"],
  [inLine('{"type":"constructor"}'), "error notifiers.team.type 1:23", "must be a type of notifier"],
  [inLine("null"), "error notifiers.team.type 1:15", "It must be one of"],
  [team('{"type":"slack",\n"url":"nope"}'), "error notifiers.team.url 3:1", "must be an http(s) URL"],
  [team('{"type":"slack"}'), "error notifiers.team.url 2:1", "notifiers.team.url is missing"],
  [team('{"type":"mattermost"}'), "error notifiers.team.url 2:1", "is missing, or instead `server`, `token` and"],
  [team(twoWays), "error notifiers.team 2:1", keepOne],
  [team(halfWay), "error notifiers.team.channel 2:1", "notifiers.team.channel is missing"],
  [inLine('{"type":"slack","url":"https://h/${env:T}"}'), "error notifiers.team.url 1:38", wholeValue],
  [header, 'error notifiers.h.headers["x y"] 1:66', "must be the name of a header"],
  [inLine('{"type":"slack","url":"https://h",\n "urll":1}'), "warning notifiers.team.urll 2:2", "Did you mean `url`?"],
  [templates('\n"title":"{projct}"'), "error templates.Stop.title 2:1", "Did you mean {project}?"],
  [templates('"body":["{summary}","{nope}"]'), "error templates.Stop.body[1] 1:43", "unknown name {nope}"],
  [inLine(tokns), "error notifiers.team.templates.Stop.title 2:22", "Did you mean {tokens}?"],
  ['{"templates":{"Stopp":{"title":"x"}}}', "warning templates.Stopp 1:15", "Did you mean `Stop`?"],
  [`{"notifiers":{"team":${slack}},\n${teem}}`, "error routes[0].to[1] 3:15", "Did you mean `team`?"],
  ['{"routes":[{"kinds":["finishd"],"to":["x"]}]}', "error routes[0].kinds[0] 1:22", "Did you mean `finished`?"],
  ['{"routes":[{"on":["Stop"]}]}', "error routes[0].to 1:12", "routes[0].to is missing"],
  ['{"routes":[{"proj":["x"],"to":["x"]}]}', "error routes[0].proj 1:13", "is an unknown condition"],
  ['{"routes":[{"hosts":["+(a|aa)"],"to":["x"]}]}', "warning routes[0].hosts[0] 1:22", "Repeat plain choices once"],
  ['{"lookups":["transcrip"]}', "error lookups[0] 1:13", "Did you mean `transcript`?"],
  ['{"delivery":{"linger":5}}', "error delivery.linger 1:14", 'must be a duration such as "30s" or "5m"'],
  ['{"delivery":{"retryDelays":["5s","2d"]}}', "error delivery.retryDelays[1] 1:34", range],
  ['{"delivery":null}', "error delivery 1:2", "must be an object in braces"],
  ['{"routes":{}}', "error routes 1:2", "must be a list in brackets"],
  [inLine('{"type":"command","run":5}'), "error notifiers.team.run 1:40", "must be a list in brackets"],
  ['{"routes":[{"to":[]}]}', "error routes[0].to 1:13", "must not be empty"],
  [inLine('{"type":"file","path":"/x","kept":100}'), "error notifiers.team.kept 1:49", "must be 99 at most"],
  [inLine('{"type":"file","path":"/x","kept":1.5}'), "error notifiers.team.kept 1:49", "must be a whole number"],
  ['{"limits":80}', "error limits 1:2", "must be a list of whole percentages from 1 to 100, such as [80, 95]"],
  ['{"limits":[80,950]}', "error limits[1] 1:15", "must be a list of whole percentages from 1 to 100"],
  ['{"limits":["80%"]}', "error limits[0] 1:12", "such as [80, 95]"],
  ['{"language":"xx"}', "error language 1:2", "must be en or"],
  [" []", "error  1:2", "must be an object"],
  ["null", "error  1:1", "must be an object"],
  ["", "error  1:1", "not valid JSON: value expected"],
  ['{ // notifiers come later\n  "routes": [,]\n}', "error  2:14", "line 2: not valid JSON: value expected"],
  ['{"notifiers": {"team": {"type": "slack', "error  1:33", "not valid JSON: unexpected end of string"],
  [`{"x":\n${"[".repeat(200_000)}`, "error  2:100", "nested too deeply"],
];

test("a finding has the position of the mistake, and advice", async () => {
  const problems: string[] = [];
  for (const [text, position, says] of findingRows) {
    const { findings } = await parseConfig(text);
    const shown = findings.map(showFinding).join("\n");
    const isSaid = findings.map(formatPosition).includes(position) && shown.includes(says);
    if (!isSaid) problems.push(`${text.slice(0, 100)}: ${shown}`);
  }
  expect(problems).toEqual([]);
});

test.each([
  ["linger", { delivery: { lingerSeconds: 5 } }],
  ["retryDelays", { delivery: { retryDelaysSeconds: [5] } }],
  ["expire", { delivery: { expireMinutes: { info: 5 } } }],
  ["timeout", { notifiers: { mine: { type: "command", run: ["mine"], timeoutSeconds: 5 } } }],
])("a key with a unit comes with the key that accepts any unit: %s", async (key, file) => {
  const { findings } = await parseConfig(JSON.stringify(file));
  expect(findings).toEqual([expect.objectContaining({ level: "warning", hint: `Did you mean \`${key}\`?` })]);
});

test("no finding has the words of the schema library, whatever the setting", async () => {
  const wrong = [5, -1, 1e9, 1.5, true, null, "", "?", "x".repeat(5_000), [], [5], [""], {}, { "": 5 }, { x: [] }];
  const notifiers = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
  const sections = await Promise.all(Object.values(sectionSchemas).map((load) => load()));
  const parts: [z.ZodType, object][] = [
    ...notifiers.map(({ settings, example }): [z.ZodType, object] => [settings, example as object]),
    ...sections.map((schema): [z.ZodType, object] => [schema, {}]),
    [routeSchema(), { to: ["team"] }],
  ];
  const messages = new Set<string>();
  for (const [schema, base] of parts) {
    const inner = unwrapSchema(schema);
    const keys = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
    const values = wrong.flatMap((value) => [value, ...keys.map((key) => ({ ...base, [key]: value }))]);
    for (const value of values) for (const { message } of check(schema, value, []).findings) messages.add(message);
  }
  expect(messages.size).toBeGreaterThan(30);
  expect([...messages].filter((said) => /invalid|expected|received|too (?:big|small)|pattern/i.test(said))).toEqual([]);
});

test("invalid JSON is one finding, however many errors the parser reports", async () => {
  const { findings } = await parseConfig("}{:,]".repeat(1000));
  expect(findings.filter(({ message }) => message.startsWith("not valid JSON"))).toHaveLength(1);
});

test("no finding contains a secret's value", async () => {
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
