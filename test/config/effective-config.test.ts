import { expect, test } from "vitest";
import { effectiveConfig } from "../../src/cli/commands/config/config.ts";
import { configTable, type SettingName } from "../../src/config/config-table.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { commonNotifierSettings } from "../../src/config/templates-table.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";

const showConfig = async (file: object): Promise<Record<string, unknown>> => {
  const config = await parseConfig(JSON.stringify(file));
  expect(config.findings).toEqual([]);
  return effectiveConfig(config);
};

/** Every top-level setting with a value other than its default, in the form in which it is shown. */
const everySetting: Record<SettingName, unknown> = {
  $schema: "./config.schema.json",
  notifiers: {
    team: {
      type: "slack",
      url: "${env:SLACK_WEBHOOK_URL}",
      for: "person",
      detail: "summary",
      mask: false,
      language: "de",
      templates: { Stop: { title: "{project}" } },
    },
    desk: { type: "desktop", driver: "auto" },
    mine: { type: "command", run: ["mine", "--loud", "${env:MINE}"], timeout: "1500ms", states: true },
  },
  routes: [{ kinds: ["failed"], projects: ["~/code/**"], to: ["team"] }],
  lookups: ["service"],
  templates: { Stop: { title: "{project}: done", body: ["{summary}", "{agent}"] } },
  language: "en",
  attention: {
    wait: "5s",
    watching: { finished: "ring", "needs-you": "90s", failed: "skip" },
    judgeLate: false,
    minTurn: "30s",
    away: "10m",
    quiet: [
      { at: "22:00-07:30", days: ["sun", "mon"], zone: "Europe/Berlin", hold: ["finished"], notifiers: ["team"] },
    ],
    dnd: "ignore",
    withdraw: false,
  },
  delivery: {
    retryDelays: ["1s", "90m"],
    expire: { "needs-you": "5m", failed: "3d", finished: "100ms", info: "2h" },
    linger: "0s",
  },
  answers: {
    agents: ["claude"],
    projects: ["~/code/**"],
    wait: "5m",
    when: "always",
    never: ["terraform *"],
    from: { desk: ["deny"] },
  },
  relay: { from: [{ via: ["[hidden]", "[hidden]"], host: "devbox" }], identity: "${file:~/.beckon/relay/age.key}" },
};

test("a file with every setting is shown unchanged", async () => {
  const service = { baseUrl: "https://api.example.org", apiKey: "${file:~/.key}" };
  expect(Object.keys(everySetting)).toEqual(Object.keys(configTable));
  expect(await showConfig({ ...everySetting, service })).toEqual({ ...everySetting, service });
});

test("profiles are shown without their secrets", async () => {
  const profiles = {
    acme: { apiKey: "canary-key", baseUrl: "https://acme.example" },
    other: { apiKey: "${env:OTHER}" },
  };
  const { service } = await showConfig({
    service: { baseUrl: "https://api.example.org", apiKey: "canary-2", profiles },
  });
  expect(service).toEqual({
    baseUrl: "https://api.example.org",
    apiKey: "[secret]",
    profiles: { ...profiles, acme: { ...profiles.acme, apiKey: "[secret]" } },
  });
});

test("every setting shared by all notifiers is shown", async () => {
  const { team } = everySetting.notifiers as { team: object };
  expect(Object.keys(team)).toEqual(expect.arrayContaining(Object.keys(commonNotifierSettings.shape)));
});

test("without a file the defaults are shown in the form of the file", async () => {
  const shown = await effectiveConfig(await parseConfig(undefined));
  expect(shown).toMatchObject({
    notifiers: { desk: { type: "desktop" }, chime: { type: "sound" } },
    routes: [{ kinds: ["needs-you", "failed", "finished"], to: ["desk", "chime"] }],
    lookups: ["transcript"],
    templates: {},
    language: "en",
    delivery: {
      retryDelays: ["5s", "30s", "2m", "10m", "30m", "2h", "6h"],
      expire: { "needs-you": "15m", failed: "1d", finished: "6h", info: "1h" },
      linger: "5s",
    },
  });
  const config = JSON.parse(JSON.stringify(shown));
  expect(await showConfig(config)).toEqual(config);
});

test("a notifier's defaults are shown even with an unresolved reference", async () => {
  const phone = { type: "pushover", token: "${env:TOKEN}", user: "${env:USER_KEY}", device: "${env:DEVICE}" };
  const { notifiers } = await showConfig({ notifiers: { phone, mine: { type: "command", run: ["mine"] } } });
  expect(notifiers).toEqual({
    phone: { ...phone, emergency: false, server: "https://api.pushover.net" },
    mine: { type: "command", run: ["mine"], timeout: "10s", states: false },
  });
});

test("every notifier's example is shown with only its secrets changed", async () => {
  for (const [type, load] of Object.entries(notifierLoaders)) {
    const example = (await load()).example as Record<string, unknown>;
    const { notifiers } = (await showConfig({ notifiers: { one: { type, ...example } } })) as {
      notifiers: { one: Record<string, unknown> };
    };
    const changed = Object.entries(example).filter(([key, value]) => !isShownAs(value, notifiers.one[key]));
    expect.soft([type, changed]).toEqual([type, []]);
  }
});

test("a route is shown although all of its notifiers are disabled", async () => {
  const config = await parseConfig('{"notifiers":{"bad":{"type":"slack"}},"routes":[{"to":["bad"]}]}');
  expect(await effectiveConfig(config)).toMatchObject({ notifiers: {}, routes: [{ to: [] }] });
});

function isShownAs(value: unknown, shown: unknown): boolean {
  return JSON.stringify(shown) === JSON.stringify(value) || /\[(secret|hidden)\]/.test(JSON.stringify(shown));
}
