import { execSync } from "node:child_process";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { effectiveConfig } from "../../../../src/cli/commands/config/config.ts";
import { configTable, type SettingName } from "../../../../src/config/config-table.ts";
import { parseConfig } from "../../../../src/config/parse.ts";
import { commonNotifierSettings } from "../../../../src/config/templates-table.ts";
import { notifierLoaders } from "../../../../src/notifiers/registry.ts";
import { useCliHome } from "../../../world/cli-home.ts";
import { repository } from "../../../world/home.ts";
import { readOutput } from "../../../world/json-output.ts";

describe("config", () => {
  const home = useCliHome();

  const starter = join(repository, "templates", "config.jsonc");
  const schema = join(repository, "templates", "config.schema.json");
  const url = "https://user:canary-7Xw@hooks.example.org/canary-7Xw";

  test("init writes the starter and its schema, for the user alone", async () => {
    expect((await home.run(["config", "init"])).exitCode).toBe(0);
    expect(readFileSync(home.paths.config, "utf8")).toBe(readFileSync(starter, "utf8"));
    expect(readFileSync(home.paths.configSchema, "utf8")).toBe(readFileSync(schema, "utf8"));
    const { root, config, configSchema } = home.paths;
    expect([root, config, configSchema].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
  });

  test("init leaves an existing file alone", async () => {
    home.config("// mine");
    const stderr = expect.stringContaining("already exists");
    expect(await home.run(["config", "init"])).toMatchObject({ exitCode: 1, stderr });
    expect(readFileSync(home.paths.config, "utf8")).toBe("// mine");
  });

  test.each([0o644, 0o620, 0o606])("check and status name a file that others can write to, mode %o", async (mode) => {
    home.config({});
    chmodSync(home.paths.config, mode);
    const { exitCode, stdout } = await home.run(["config", "check"]);
    const [says, cure = ""] = stdout.split("\n");
    expect([exitCode, says]).toEqual([1, `${home.paths.config} error is open to other users`]);
    expect((await home.run(["status"])).stdout).toContain("1 problem: beckon config check");
    execSync(cure);
    expect(await home.run(["config", "check"])).toMatchObject({ exitCode: 0 });
    expect((await home.run(["status"])).stdout).toMatch(/config\.jsonc +no problems$/m);
  });

  test("the starter leaves the defaults unchanged", async () => {
    const { findings: _, $schema: ___, ...fromStarter } = await parseConfig(readFileSync(starter, "utf8"));
    const { findings: __, $schema: ____, ...defaults } = await parseConfig(undefined);
    expect(fromStarter).toEqual(defaults);
  });

  test("the commented parts of the starter are valid", async () => {
    const lines = readFileSync(starter, "utf8").split("\n");
    const uncommented = lines.map((line) => line.replace(/^ {2}\/\/ ( *(?:["{}[\]]).*)$/, "  $1")).join("\n");
    const { findings, routes, delivery, notifiers, lookups } = await parseConfig(uncommented);
    expect(routes).toHaveLength(4);
    expect(delivery).toEqual((await parseConfig(undefined)).delivery);
    expect([notifiers.size, lookups]).toEqual([6, ["transcript", "service"]]);
    expect(findings).toEqual([]);
  });

  test("show prints the effective configuration with defaults and without secrets", async () => {
    home.config({
      notifiers: {
        plain: {
          type: "webhook",
          url,
          secret: `whsec_${Buffer.alloc(24, "canary-7Xw").toString("base64")}`,
          headers: { "x-key": "canary-7Xw" },
        },
        phone: { type: "ntfy", topic: "canary-7Xw" }, // anybody who knows the topic can read it
        env: { type: "slack", url: "${env:SLACK}", templates: { Stop: { title: "{project}" } } },
        command: { type: "slack", url: "${command:vault read --token canary-7Xw}" },
      },
      routes: [{ kinds: ["failed"], to: ["env"] }],
      delivery: { linger: "9s" },
    });
    const { exitCode, stdout, stderr } = await home.run(["config", "show"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).not.toContain("canary");
    const shown = JSON.parse(stdout);
    expect(readOutput("config show", (await home.run(["config", "show", "--json"])).stdout)).toEqual([shown]);
    expect(shown).toMatchObject({
      notifiers: {
        plain: { type: "webhook", url: "[secret]", secret: "[secret]", headers: { "x-key": "[secret]" } },
        env: { type: "slack", url: "${env:SLACK}", templates: { Stop: { title: "{project}" } } },
        command: { type: "slack", url: "${command:vault …}" },
      },
      routes: [{ kinds: ["failed"], to: ["env"] }],
      delivery: { linger: "9s", expire: { "needs-you": "15m" } },
    });
  });

  const several = `{
  "notifiers": {
    "team": { "type": "slack", "url": "canary-7Xw" },
    "hook": { "type": "webhok", "url": "${url}" }
  },
  "rotes": []
}
`;
  const findings = `FILE:3:32 error notifiers.team.url: must be an http(s) URL
FILE:4:15 error notifiers.hook.type: must be a type of notifier\n  Did you mean \`webhook\`?
FILE:6:3 warning rotes: unknown setting, ignored\n  Did you mean \`routes\`?
`.split(/\n(?=FILE)/);
  test.each<[what: string, text: string, exitCode: number, says: readonly string[]]>([
    ["several mistakes", several, 1, findings],
    ["only a warning", '{ "notifiers": {}, "extra": 1 }', 0, ["extra"]],
    [
      "no mistakes",
      `{ "notifiers": { "lamp": { "type": "webhook", "url": "http://127.0.0.1:9/in" }, "desk": { "type": "desktop" } } }`,
      0,
      ["✓ ~/.beckon/config.jsonc: no problems found\n"],
    ],
    [
      "a variable that is unset",
      '{\n  "notifiers": { "team": { "type": "slack", "url": "${env:BECKON_TEST_UNSET}" } }\n}',
      0,
      ["FILE:2:45 warning notifiers.team.url: ${env:BECKON_TEST_UNSET} is not set in this shell\n  Set it where"],
    ],
    [
      "a glob that would take long to match",
      '{\n"notifiers": { "desk": { "type": "desktop" } },\n"routes": [{ "projects": ["*(+(a))", "*", "./p/**"], "to": ["desk"] }] }',
      0,
      [
        "FILE:3:27 warning routes[0].projects[0]: `*(+(a))` could take very long to match, so it only matches exactly",
        "warning routes[0].projects[2]: matches no folder, because it is compared with whole paths",
      ],
    ],
    ["broken JSON", '{\n  "notifiers": {\n', 1, ["config.jsonc:3:1 error not valid JSON"]],
  ])("check of %s prints place, path, message and hint of each finding", async (_, text, exitCode, says) => {
    home.config(text);
    const result = await home.run(["config", "check"]);
    expect({ ...result, stdout: "" }).toEqual({ exitCode, stdout: "", stderr: "" });
    for (const part of says) expect(result.stdout).toContain(part.replace("FILE", home.paths.config));
    expect(result.stdout).not.toContain("canary");
  });

  test("check resolves references, and warns of secrets in plain text, by their positions", async () => {
    const file = home.write(join(home.home, "key"), "canary-7Xw\n", 0o600);
    const open = home.write(join(home.home, "open"), "canary-7Xw\n", 0o644);
    home.config(`{
  "notifiers": {
    "plain": { "type": "slack", "url": "${url}" },
    "header": { "type": "webhook", "url": "http://127.0.0.1:9/", "headers": { "x-key": "canary-7Xw" } },
    "unset": { "type": "slack", "url": "\${env:BECKON_TEST_UNSET}" },
    "open": { "type": "ntfy", "topic": "a", "token": "\${file:${open}}" },
    "none": { "type": "bark", "deviceKey": "\${command:false}" },
    "wrong": { "type": "slack", "url": "\${file:${file}}" },
    "good": { "type": "ntfy", "topic": "a", "token": "\${file:${file}}" },
    "hollow": { "type": "relay" }
  },
  "service": { "baseUrl": "https://api.example.org", "apiKey": "\${env:BECKON_TEST_UNSET}", "profiles": {
    "good": { "apiKey": "\${file:${file}}" },
    "unset": { "apiKey": "\${env:BECKON_TEST_UNSET}" } } }
}`);
    const { exitCode, stdout } = await home.run(["config", "check", "--json"]);
    const found = readOutput("config check", stdout).map(
      ({ level, path, line, message }) => `${line} ${level} ${path}: ${message}`,
    );
    expect(found).toEqual([
      "3 warning notifiers.plain.url: is a secret in plain text",
      "4 warning notifiers.header.headers: is a secret in plain text",
      "5 warning notifiers.unset.url: ${env:BECKON_TEST_UNSET} is not set in this shell",
      `6 error notifiers.open.token: \${file:${open}} can be read by other users`,
      "7 error notifiers.none.deviceKey: ${command:false …} exited with code 1",
      "8 error notifiers.wrong.url: notifiers.wrong.url is not usable once its reference is resolved",
      "10 error notifiers.hollow: notifiers.hollow must have either `via`, or `servers` and `creds`",
      "12 warning service.apiKey: ${env:BECKON_TEST_UNSET} is not set in this shell",
      "14 warning service.profiles.unset.apiKey: ${env:BECKON_TEST_UNSET} is not set in this shell",
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).not.toContain("canary");
  });

  test("two times of day are short for quiet hours of every day", async () => {
    const showQuiet = async (quiet: unknown) => {
      home.config({ attention: { quiet } });
      expect((await home.run(["config", "check"])).exitCode).toBe(0);
      const [shown] = readOutput("config show", (await home.run(["config", "show", "--json"])).stdout);
      return (shown?.["attention"] as { quiet: unknown } | undefined)?.quiet;
    };
    const hours = [{ at: "22:00-07:00", hold: ["needs-you", "finished", "info"] }];
    expect(await showQuiet("22:00-07:00")).toEqual(hours);
    expect(await showQuiet([{ at: "22:00-07:00" }])).toEqual(hours);
  });

  test.each([
    [
      { notifers: { desk: { type: "desktop" } } },
      1,
      /error notifers: .*notifiers are not used\n {2}Did you mean `notifiers`\?/,
    ],
    [{ notifiers: {}, notifers: {} }, 0, /warning notifers: unknown setting, ignored/],
    [{ attentions: {} }, 0, /warning attentions: unknown setting, ignored/],
  ])("a misspelled setting is an error only if it costs all notifiers: %j", async (config, exitCode, says) => {
    home.config(config);
    const result = await home.run(["config", "check"]);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, expect.stringMatching(says)]);
  });
});

describe("edit", () => {
  const home = useCliHome();

  /** An editor that saves a text, given as a command line with an argument. */
  function editor(text: string): string {
    const saved = home.write(join(home.home, "saved"), text);
    return `${home.write(join(home.home, "my editor"), '#!/bin/sh\ncat "$1" >"$2"\n', 0o700).replace(" ", "\\ ")} ${saved}`;
  }

  test("a missing file is created, opened in $EDITOR, and checked once it is saved", async () => {
    const { exitCode, stdout } = await home.start(["config", "edit"], { EDITOR: editor('{ "language": "en" }') });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("✓ no problems found");
    expect(readFileSync(home.paths.config, "utf8")).toBe('{ "language": "en" }');
  });

  test("errors are shown with their positions, exit code 1; $VISUAL comes first", async () => {
    const env = { EDITOR: "false", VISUAL: editor('{ "notifiers": { "x": { "type": "slak" } } }') };
    const { exitCode, stdout } = await home.start(["config", "edit"], env);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /config\.jsonc:1:\d+ error notifiers\.x\.type: must be a type of notifier\n {2}Did you mean `slack`\?/,
    );
  });

  test("a failing editor is reported with advice", async () => {
    const stderr = expect.stringMatching(/the editor exited with code 1\n.*Set \$EDITOR/);
    expect(await home.start(["config", "edit"], { EDITOR: "false" })).toMatchObject({ exitCode: 1, stderr });
  });
});

describe("effective config", () => {
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
    routes: [{ kinds: ["failed", "needs-you"], projects: ["~/code/**"], to: ["team"] }],
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
    limits: [80, 95],
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
});
