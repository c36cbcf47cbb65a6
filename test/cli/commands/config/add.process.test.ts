import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { addNotifier } from "../../../../src/config/edit/edit-config.ts";
import { ownFields } from "../../../../src/config/written-value.ts";
import { drawJsonc } from "../../../installer/jsonc-texts.ts";
import { builtCli, useCliHome } from "../../../world/cli-home.ts";
import { run } from "../../../world/home.ts";
import { answer, htmlPage, openHostileServer, startHostileServer } from "../../../world/hostile-server.ts";
import { useEach } from "../../../world/use.ts";

const secret = "cAnArY4711cAnArY4711";
const message = answer(200, { "content-type": "application/json" }, '{"id":"1"}');

const home = useCliHome();
const server = useEach("close", () => startHostileServer({ "*": message }));

const url = () => `${server.origin}/api/webhooks/1/${secret}`;
const config = () => parseJsonc(readFileSync(home.paths.config, "utf8"));

/** Runs the built command with standard input, as a program would. */
async function add(args: readonly string[], input = "") {
  const options = { env: home.env, cwd: home.project };
  const result = await run(process.execPath, [builtCli, "config", "add", ...args], input, options);
  return { exitCode: result.exitCode, output: result.stdout + result.stderr };
}

describe("config add without a terminal", () => {
  test("probes the service, sends a test, adds a default notifier, and puts the secret into a file", async () => {
    const { exitCode, output } = await add(["discord", "--secret", "url", "--name", "team"], `${url()}\n`);
    expect(output).not.toContain(secret);
    expect(exitCode, output).toBe(0);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
    const file = join(home.paths.root, "secrets", "team-url");
    expect(config().notifiers).toEqual({
      desk: { type: "desktop" },
      chime: { type: "sound" },
      team: { type: "discord", url: "${file:~/.beckon/secrets/team-url}" },
    });
    expect(readFileSync(file, "utf8")).toBe(url());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(home.paths.config).mode & 0o777).toBe(0o600);
    expect(readFileSync(home.paths.config, "utf8")).toContain("// Notifiers, by names of your choice.");
    const check = await home.start(["config", "check"]);
    expect(check.stdout).toContain("no problems found");
    expect((await home.start(["test", "team"])).exitCode).toBe(0);
  });

  test("keeps comments and layout of the file, and adds a route for --kinds", async () => {
    const text = `{\n\t// mine\n\t"notifiers": {\n\t\t"desk": { "type": "desktop" } // here\n\t},\n\t"routes": [\n\t\t{ "to": ["desk"] }\n\t]\n}\n`;
    home.config(text);
    const args = ["discord", "--set", "url=${env:DISCORD}", "--kinds", "failed,needs-you", "--no-test", "--force"];
    const { exitCode, output } = await add(args);
    expect(exitCode, output).toBe(0);
    const written = readFileSync(home.paths.config, "utf8");
    expect(written).toContain('\t\t"desk": { "type": "desktop" }, // here');
    expect(config()).toEqual({
      notifiers: { desk: { type: "desktop" }, discord: { type: "discord", url: "${env:DISCORD}" } },
      routes: [{ to: ["desk"] }, { kinds: ["failed", "needs-you"], to: ["discord"] }],
    });
    expect(readdirSync(join(home.paths.root, "secrets"))).toEqual(["config.jsonc"]); // the last good file alone
  });

  const routed = '{ "notifiers": { "desk": { "type": "desktop" } }, "routes": [{ "to": ["desk"] }] }';
  const kinds = ["needs-you", "failed", "finished"];
  const usual = { kinds, to: ["desk", "chime"] };
  const away = "--kinds needs-you --when away --after 5m";
  test.each([
    ["a second notifier gets a route for the usual kinds", routed, "", [{ to: ["desk"] }, { kinds, to: ["file"] }]],
    ["with --no-route a second notifier gets none", routed, "--no-route", [{ to: ["desk"] }]],
    ["with --no-route the first gets none", "{}", "--no-route", [usual]],
    ["the first needs no routes", "{}", "", undefined],
    ["--kinds leaves other notifiers their kinds", "{}", "--kinds info", [usual, { kinds: ["info"], to: ["file"] }]],
    [
      "--when and --after are conditions of its route",
      "{}",
      away,
      [usual, { kinds: ["needs-you"], when: "away", after: "5m", to: ["file"] }],
    ],
  ])("%s", async (_, text, flags, routes) => {
    home.config(text);
    const { exitCode, output } = await add(["file", "--set", "path=~/a.jsonl", ...flags.split(" ").filter(Boolean)]);
    expect(exitCode, output).toBe(0);
    expect(output.includes("No route leads to it yet")).toBe(flags === "--no-route");
    expect(config().routes).toEqual(routes);
    expect(existsSync(join(home.home, "a.jsonl"))).toBe(true);
  });

  test("arrays that fit on a line stay on one", async () => {
    const run = ["/bin/echo", ...Array.from({ length: 12 }, (_, index) => `an argument, [${index}]`)];
    const set = (...words: string[]) => ["--set", `run=${JSON.stringify(words)}`, "--no-test"];
    expect(await add(["command", ...set("/bin/echo", "a [b], {c}"), "--kinds", "failed"])).toMatchObject({
      exitCode: 0,
    });
    expect(await add(["command", ...set(...run)])).toMatchObject({ exitCode: 0 });
    const written = readFileSync(home.paths.config, "utf8");
    expect(written).toContain('"kinds": ["needs-you", "failed", "finished"],\n');
    expect(written).toContain('"to": ["desk", "chime"]\n');
    expect(written).toMatch(/"run": \[\n\s+"\/bin\/echo",\n\s+"an argument, \[0\]",\n/);
    expect(config().notifiers["command-2"].run).toEqual(run);
  });

  test("a player that is missing is not saved", async () => {
    const refused = await add(["sound", "--set", "program=/nowhere/player", "--no-test"]);
    expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining("Nothing was saved.") });
  });

  test("a command whose program is missing is saved only with --force", async () => {
    const args = ["command", "--set", 'run=["/nowhere/notify"]', "--no-test"];
    const refused = await add(args);
    expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining("/nowhere/notify is missing") });
    expect(refused.output).toContain("Nothing was saved.");
    expect(existsSync(home.paths.config)).toBe(false);
    expect((await add([...args, "--force"])).exitCode).toBe(0);
    expect(config().notifiers.command.run).toEqual(["/nowhere/notify"]);
  });

  const readable = /other users can see command lines/;
  const urgent = ["ntfy", "--set", "topic=t", "--set", "urgent=yes"];
  const twoSecrets = ["pushover", "--secret", "token", "--secret", "user"];
  test.each<[string, string[], RegExp]>([
    ["no type", [], /missing type of notifier[\s\S]*discord/],
    ["an unknown type", ["dicsord"], /there is no notifier type dicsord\s+Did you mean `discord`\?/],
    ["a missing setting", ["discord"], /--secret url/],
    ["a missing variant", ["mattermost"], /Add --secret url, or --set server=… --secret token --set channel=…/],
    [
      "a disallowed name within a setting",
      ["alertmanager", "--set", "servers=http://127.0.0.1:9", "--set", 'labels={"kind":"x"}'],
      /labels: must be the name of a label, and none that beckon sets itself/,
    ],
    ["a secret on the command line", ["discord", "--set", `url=https://x.example/${secret}`], readable],
    ["a secret within a setting", ["webhook", "--set", `headers={"x-key":"${secret}"}`], readable],
    ["an unknown setting", ["discord", "--set", "color=red"], /there is no setting color/],
    ["a misspelt setting", ["discord", "--set", "threadID=1"], /Did you mean `threadId`\?/],
    ["a value outside an enumeration", urgent, /urgent: must be one of true, false/],
    ["too few secrets", twoSecrets, /standard input has no line for user/],
    ["a wrong value", ["discord", "--set", "threadId=x"], /threadId: must be a number/],
    ["a value without a key", ["discord", "--set", "url"], /key=value/],
    ["a wrong name", ["discord", "--name", "a b", "--secret", "url"], /not a valid name/],
    ["a wrong kind", ["discord", "--kinds", "all"], /needs-you, failed/],
    ["an invalid position", ["discord", "--when", "asleep"], /away, here/],
    [
      "a condition without a route",
      ["file", "--set", "path=~/a", "--no-route", "--kinds", "info"],
      /--no-route cannot be used with conditions/,
    ],
    ["an invalid delay", ["discord", "--after", "soon"], /such as "5m"/],
  ])("%s is wrong usage and saves nothing", async (_, args, words) => {
    const { exitCode, output } = await add(args, url());
    expect(output).toMatch(words);
    expect(output).not.toContain(secret);
    expect(exitCode).toBe(2);
    expect(existsSync(home.paths.config)).toBe(false);
    expect(existsSync(join(home.paths.root, "secrets"))).toBe(false);
  });

  test.each([
    ["an address unknown to the service", answer(404), /answered 404/],
    ["another service", htmlPage, /not from Discord/],
  ])("%s is saved only with --force", async (_, behaviour, words) => {
    const bad = await openHostileServer({ "*": behaviour });
    const args = ["discord", "--secret", "url"];
    const refused = await add(args, `${bad.origin}/${secret}`);
    expect(refused).toMatchObject({ exitCode: 1, output: expect.stringMatching(words) });
    expect(refused.output).toContain("Nothing was saved.");
    expect(existsSync(home.paths.config)).toBe(false);
    expect((await add([...args, "--force"], `${bad.origin}/${secret}`)).exitCode).toBe(0);
    expect(refused.output).not.toContain(secret);
  });

  test("a broken configuration is reported with its position and left unchanged", async () => {
    const text = '{\n  "notifiers": { ,\n';
    home.config(text);
    const { exitCode, output } = await add(["discord", "--secret", "url"], url());
    expect(exitCode).toBe(1);
    expect(output).toMatch(/config\.jsonc:2:\d+: not valid JSON/);
    expect(server.requests).toEqual([]);
    expect(readFileSync(home.paths.config, "utf8")).toBe(text);
  });

  test.each([
    ["a header's secret", ["webhook", "--secret", "url"], "headers", { authorization: "${env:HOOK_AUTHORIZATION}" }],
    ["a setting of a fixed form", ["ntfy"], "topic", "${env:NTFY_TOPIC}"],
  ])("%s may be a reference", async (_, [type = "", ...args], key, value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const { exitCode, output } = await add([type, ...args, "--set", `${key}=${text}`, "--no-test", "--force"], url());
    expect(exitCode, output).toBe(0);
    expect(config().notifiers[type][key]).toEqual(value);
  });

  test.each(["topic=${vault:x}", "topic=a${env:X}", "whenResolved=${env:X}"])("%s is refused", async (wrong) => {
    const { exitCode, output } = await add(["ntfy", "--set", "topic=t", "--set", wrong, "--no-test", "--force"]);
    expect([exitCode, output]).toEqual([2, expect.stringContaining(": must be ")]);
  });

  test("a route that would match nothing is refused, and nothing is saved", async () => {
    home.config({ notifiers: { desk: { type: "desktop" } } });
    const args = ["discord", "--secret", "url", "--no-test", "--kinds", "finished", "--projects"];
    const { exitCode, output } = await add([...args, "shop"], url());
    expect([exitCode, output]).toEqual([1, expect.stringMatching(/projects\[0\]: matches no folder.*\n {2}Write ~\//)]);
    expect(config()).toEqual({ notifiers: { desk: { type: "desktop" } } });
    expect(existsSync(join(home.paths.root, "secrets", "discord-url"))).toBe(false);
    expect((await add([...args, "~/shop"], url())).exitCode).toBe(0);
  });

  test("accepts the settings that all notifiers have", async () => {
    const own = ["ntfy", "--set", "topic=t", "--set", `server=${server.origin}`, "--no-test", "--force"];
    const { exitCode, output } = await add([...own, "--set", "detail=full", "--set", "mask=false"]);
    expect(exitCode, output).toBe(0);
    expect(config().notifiers.ntfy).toMatchObject({ detail: "full", mask: false });
  });

  test("a server without a credential check is not said to accept them", async () => {
    const ntfy = await openHostileServer({ "*": answer(200, {}, '{"healthy":true}') });
    const { output } = await add(["ntfy", "--set", "topic=t", "--set", `server=${ntfy.origin}`, "--no-test"]);
    expect(output).toContain("ntfy responds at this address");
  });

  test("a linked configuration stays linked", async () => {
    const elsewhere = join(home.home, "dotfiles.jsonc");
    writeFileSync(elsewhere, "{}\n", { mode: 0o600 });
    home.write(join(home.paths.root, "x"), "");
    symlinkSync(elsewhere, home.paths.config);
    expect((await add(["discord", "--secret", "url"], url())).exitCode).toBe(0);
    expect(parseJsonc(readFileSync(elsewhere, "utf8")).notifiers.discord.type).toBe("discord");
  });
});

test("a new route has the flags' conditions, and a notifier without a route comes with advice", async () => {
  home.config({ notifiers: { desk: { type: "desktop" } }, routes: [{ to: ["desk"] }] });
  const added = async (...flags: string[]) => add(["file", "--set", `path=${home.home}/out`, "--no-test", ...flags]);
  expect((await added("--name", "one", "--no-route")).output).toContain("No route leads to it yet");
  expect((await added("--name", "two", "--projects", "~/code/**", "--agents", "claude,codex")).exitCode).toBe(0);
  expect((await added("--name", "three", "--on", "Stop")).exitCode).toBe(0);
  expect(config().routes.slice(1)).toEqual([
    { kinds: ["needs-you", "failed", "finished"], agents: ["claude", "codex"], projects: ["~/code/**"], to: ["two"] },
    { on: ["Stop"], to: ["three"] },
  ]);
  expect((await added("--agents", "clod")).output).toContain("The agents are ");
});

test("a notifier is added to any configuration without changing anything else in it", () => {
  const added = {
    name: "new-one",
    entry: ownFields({ type: "file", path: "~/x" }),
    route: { kinds: ["failed"] } as const,
  };
  const before = { notifiers: { a: { type: "desktop" } }, routes: [{ to: ["a"] }], other: [1, { x: "y" }] };
  fc.assert(
    fc.property(drawJsonc(fc.constant(before)), (text) => {
      const after = parseJsonc(addNotifier(text, "config.jsonc", added));
      const { [added.name]: entry, ...others } = after.notifiers;
      expect(entry).toEqual(added.entry);
      expect({ ...after, notifiers: others, routes: after.routes.slice(0, -1) }).toEqual(before);
    }),
  );
});
