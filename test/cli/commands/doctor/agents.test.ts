import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentSettings } from "../../../../src/core/agent-settings.ts";
import { builtCli, type CliHome, createCliHome } from "../../cli-home.ts";
import { alterAgent, bad, examine, hooksFor, makeWell } from "./doctor-home.ts";

let home: CliHome;
let undo: (() => void)[] = [];
beforeEach(() => {
  home = createCliHome();
  makeWell(home);
});
afterEach(() => {
  for (const step of undo) step();
  undo = [];
  home.remove();
});

const alter = (name: string, change: Partial<AgentSettings>) => undo.push(alterAgent(name, change));
const at = (...path: string[]) => join(home.home, ...path);
const droidHooks = ["Notification", "Stop", "SubagentStop", "SessionEnd"];
const json = (path: string, value: unknown) => home.write(path, JSON.stringify(value));

/** An agent with one settings file in a folder of its own, for the user and in the project; every event seen. */
function addAgent(name: string, file: string): void {
  alter(name, {
    register: Object.fromEntries(droidHooks.map((event) => [event, 5])),
    folder: ({ home: there }) => join(there, `.${name}`),
    files: (scope, place) =>
      scope === "local"
        ? []
        : [{ path: join(scope === "user" ? place.home : place.project, `.${name}`, file), shape: "wrapped" }],
  });
  json(at(`.${name}`, file), { hooks: hooksFor(name, ...droidHooks) });
  for (const event of droidHooks) home.journal({ agent: name, event, status: "sent" });
}
/** Codex' memory of the hooks it was told to trust. */
const trusted = (...events: string[]) =>
  events
    .map((event) => `[hooks.state."${at(".codex", "hooks.json")}:${event}:0:0"]\ntrusted_hash = "sha256:ab"\n`)
    .join("\n");
const folderTrust = { security: { folderTrust: { enabled: true } } };

/** Droid set up as Claude is, with every event seen. */
function addDroid(): void {
  json(at(".factory", "settings.json"), { hooks: hooksFor("droid", ...droidHooks) });
  for (const event of droidHooks) home.journal({ agent: "droid", event, status: "sent" });
}
function program(name: string, script: string): void {
  chmodSync(home.write(at("bin", name), `#!/bin/sh\n${script}\n`), 0o755);
}
const search = () => [at("bin"), "/usr/bin", "/bin", dirname(process.execPath)];
const floor = { version: "0.202.0", reason: "hooks were skipped" };

interface Finding {
  readonly name: string;
  readonly make: () => void;
  readonly status: "warn" | "fail";
  readonly check: string;
  readonly detail: RegExp;
  readonly cure: RegExp;
}

const findings: readonly Finding[] = [
  {
    name: "an agent's program is too old for its hooks",
    make: () => {
      addDroid();
      alter("droid", { program: { files: ["droid"], floor } });
      program("droid", "echo droid 0.190.3");
    },
    status: "warn",
    check: "Droid: version",
    detail: /^0\.190\.3 is older than 0\.202\.0: hooks were skipped$/,
    cure: /^Update Droid \(.*\/bin\/droid\) and restart it\.$/,
  },
  {
    name: "Codex has hooks in config.toml as well",
    make: () => {
      const events = ["PermissionRequest", "Stop", "SubagentStop", "SessionEnd"];
      json(at(".codex", "hooks.json"), { hooks: hooksFor("codex", ...events) });
      for (const event of ["Notification", ...events]) home.journal({ agent: "codex", event, status: "sent" });
      const trust = trusted("permission_request", "stop", "subagent_stop", "session_end");
      home.write(at(".codex", "config.toml"), `${trust}\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\n`);
    },
    status: "warn",
    check: "Codex: several files",
    detail: /config\.toml holds hooks too\. Codex runs the hooks of both/,
    cure: /^Move those hooks to .*hooks\.json\.$/,
  },
  {
    name: "a policy switches hooks off",
    make: () => {
      alter("claude", {
        switches: ({ home: there }) => [{ path: join(there, "policy.json"), off: { managed: true } }],
      });
      home.write(at("policy.json"), '{ // said the admin\n "managed": true }');
    },
    status: "fail",
    check: "Claude Code: settings",
    detail: /policy\.json: hooks are switched off by managed$/,
    cure: /^Remove managed from it, or ask whoever manages that file\.$/,
  },
  {
    name: "one of beckon's hooks was switched off in the agent's own list of hooks",
    make: () => {
      addAgent("gemini", "settings.json");
      const disabled = ["their-hook", "~/.beckon/hook Stop --agent gemini || :"];
      json(at(".gemini", "settings.json"), { hooksConfig: { disabled }, hooks: hooksFor("gemini", ...droidHooks) });
    },
    status: "fail",
    check: "Gemini CLI: settings",
    detail: /settings\.json: hooks of beckon's are switched off by hooksConfig\.disabled$/,
    cure: /^Take beckon's hooks out of hooksConfig\.disabled there\.$/,
  },
  {
    name: "the settings file with the hooks, which is also looked at for switches, switches them off",
    make: () => {
      addDroid();
      json(at(".factory", "settings.json"), { hooksDisabled: true, hooks: hooksFor("droid", ...droidHooks) });
    },
    status: "fail",
    check: "Droid: settings",
    detail: /settings\.json: hooks are switched off by hooksDisabled$/,
    cure: /^Remove hooksDisabled from it/,
  },
  {
    name: "one of several policy files in a folder switches hooks off",
    make: () => {
      alter("claude", {
        switches: ({ home: there }) => [
          { path: join(there, "policy.d", "*.json"), off: { managed: true } },
          { path: join(there, "nowhere.d", "*.json"), off: { managed: true } },
        ],
      });
      json(at("policy.d", "10-other.json"), { managed: false });
      json(at("policy.d", "20-hooks.json"), { managed: true });
      home.write(at("policy.d", "README"), '{ "managed": true }');
    },
    status: "fail",
    check: "Claude Code: settings",
    detail: /policy\.d\/20-hooks\.json: hooks are switched off by managed$/,
    cure: /^Remove managed from it/,
  },
  {
    name: "a feature in a TOML file switches hooks off",
    make: () => {
      const off = { features: { hooks: false } };
      alter("claude", { switches: ({ home: there }) => [{ path: join(there, "config.toml"), off }] });
      home.write(at("config.toml"), "[features]\nhooks = false\nother = true\n");
    },
    status: "fail",
    check: "Claude Code: settings",
    detail: /config\.toml: hooks are switched off by features$/,
    cure: /Remove features/,
  },
  {
    name: "hooks.json stands before the settings file that holds ours",
    make: () => {
      addDroid();
      json(at(".factory", "hooks.json"), { PreToolUse: [] });
    },
    status: "warn",
    check: "Droid: several files",
    detail: /hooks are in .*settings\.json, and .*hooks\.json is there too: it may be the only one/,
    cure: /^beckon install --agent droid moves them\.$/,
  },
  {
    name: "ours are in hooks.json and others' hooks in the settings file",
    make: () => {
      addDroid();
      json(at(".factory", "hooks.json"), hooksFor("droid", ...droidHooks));
      const others = { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] };
      json(at(".factory", "settings.json"), { hooks: others });
    },
    status: "warn",
    check: "Droid: several files",
    detail: /hooks\.json and .*settings\.json both hold hooks: some versions read the first alone/,
    cure: /move them to .*hooks\.json/,
  },
  {
    name: "hooks are in two scopes of an agent that runs both",
    make: () => {
      addDroid();
      json(join(home.project, ".factory", "settings.json"), { hooks: hooksFor("droid", "Stop") });
    },
    status: "warn",
    check: "Droid: twice",
    detail: /^Stop fire twice: from .*settings\.json and .*shop.*settings\.json$/,
    cure: /^Keep one: beckon uninstall --agent droid --scope project$/,
  },
  {
    name: "an agent runs another's hooks besides its own, and its payloads do not tell whose they are",
    make: () => {
      addDroid();
      alter("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] });
    },
    status: "warn",
    check: "Droid: twice",
    detail: /^Droid also runs the hooks of Claude Code: its events come in twice$/,
    cure: /^Keep one: after `beckon uninstall --agent droid` they come in as Claude Code's alone\.$/,
  },
  {
    name: "entries were imported from another agent",
    make: () => {
      addDroid();
      json(at(".factory", "settings.json"), { hooks: hooksFor("claude", ...droidHooks) });
    },
    status: "warn",
    check: "Droid: hooks",
    detail: /written for claude, imported or copied; its events count as theirs$/,
    cure: /^beckon install --agent droid mends them\.$/,
  },
  {
    name: "Codex was not told to trust every hook",
    make: () => {
      addAgent("codex", "hooks.json");
      home.write(at(".codex", "config.toml"), `model = "x"\n\n${trusted("stop", "session_end")}`);
    },
    status: "warn",
    check: "Codex: trust",
    detail: /^not trusted for Notification, SubagentStop$/,
    cure: /^Open \/hooks in Codex and trust beckon's hooks there\.$/,
  },
  {
    name: "Gemini was told not to trust the folder",
    make: () => {
      addAgent("gemini", "settings.json");
      json(at(".gemini", "settings.json"), { ...folderTrust, hooks: hooksFor("gemini", ...droidHooks) });
      json(at(".gemini", "trustedFolders.json"), { [home.project]: "DO_NOT_TRUST" });
    },
    status: "warn",
    check: "Gemini CLI: trust",
    detail: /shop is marked as not trusted$/,
    cure: /^Run \/permissions in Gemini CLI there, and trust the folder\.$/,
  },
  {
    name: "an agent has never fired, and only the installer's sample came in",
    make: () => {
      rmSync(home.paths.journal, { recursive: true });
      home.journal({ agent: "claude", event: "Notification", sessionId: "beckon-install-0123", status: "sent" });
    },
    status: "warn",
    check: "Claude Code: last event",
    detail: /^never$/,
    cure: /trusted it\. Then let the agent finish a turn and look again\.$/,
  },
  {
    name: "one of the events has never come in",
    make: () => {
      rmSync(home.paths.journal, { recursive: true });
      for (const event of ["Stop", "Notification"]) home.journal({ agent: "claude", event, status: "sent" });
      home.journal({ agent: "claude", event: "SessionEnd", sessionId: "beckon-install-0123", status: "sent" });
    },
    status: "warn",
    check: "Claude Code: events seen",
    detail: /^Notification 20.*, Stop 20.*, SubagentStop never, SessionEnd never$/,
    cure: /^Leave a session of the agent\. Then look again: beckon log --follow$/,
  },
  {
    name: "the installed copy is older than this package",
    make: () => writeFileSync(join(home.paths.app, "package.json"), '{ "name": "beckon", "version": "0.0.9" }'),
    status: "warn",
    check: "app",
    detail: /app is 0\.0\.9, this is \d/,
    cure: /^beckon upgrade$/,
  },
  {
    name: "the installed copy is newer than this package",
    make: () => writeFileSync(join(home.paths.app, "package.json"), '{ "name": "beckon", "version": "99.0.0" }'),
    status: "warn",
    check: "app",
    detail: /app is 99\.0\.0, newer than this/,
    cure: /^Use .*app\/dist\/cli\.js, or update /,
  },
  {
    name: "the installed copy is another build of the same version",
    make: () => writeFileSync(join(home.paths.app, "dist", "cli.js"), "// another"),
    status: "warn",
    check: "app",
    detail: /is another build of \d/,
    cure: /^beckon upgrade$/,
  },
];

test.each(findings)("it notices when $name", async ({ make, status, check, detail, cure }) => {
  make();
  const { results } = await examine(home, search());
  expect(bad(results)).toEqual([
    { name: check, status, detail: expect.stringMatching(detail), cure: expect.stringMatching(cure) },
  ]);
});

const fine: readonly { name: string; make: () => void; line?: RegExp }[] = [
  {
    name: "a program that is new enough",
    make: () => {
      addDroid();
      alter("droid", { program: { files: ["droid"], floor } });
      program("droid", "echo 0.202.0");
    },
    line: /^Droid: version 0\.202\.0$/,
  },
  {
    name: "a program that does not say its version",
    make: () => {
      alter("claude", { program: { files: ["claude"], floor } });
      program("claude", "exit 3");
    },
  },
  {
    name: "a hook that is not there since the agent's version does not know its event",
    make: () => {
      const events = ["Notification", "Stop", "SubagentStop", "SessionEnd"];
      json(at(".claude", "settings.json"), { hooks: hooksFor("claude", ...events) });
      alter("claude", { program: { files: ["claude"] } });
      program("claude", "echo 2.1.77");
    },
    line: /^Claude Code: hooks Notification, Stop, SubagentStop, SessionEnd$/,
  },
  {
    name: "a switch that is there and not thrown",
    make: () => {
      alter("claude", {
        switches: ({ home: there }) => [{ path: join(there, "policy.json"), off: { managed: true } }],
      });
      json(at("policy.json"), { managed: "true" });
    },
  },
  {
    name: "somebody else's hook that is switched off in the agent's own list of hooks",
    make: () => {
      addAgent("gemini", "settings.json");
      const disabled = ["their-hook", 3, "echo ~/.beckon/hook Stop --agent gemini || :"];
      json(at(".gemini", "settings.json"), { hooksConfig: { disabled }, hooks: hooksFor("gemini", ...droidHooks) });
    },
  },
  {
    name: "a switch of which only a part is thrown",
    make: () => {
      const off = { features: { hooks: false, all: false } };
      alter("claude", { switches: ({ home: there }) => [{ path: join(there, "policy.json"), off }] });
      json(at("policy.json"), { features: { hooks: false } });
    },
  },
  {
    name: "two scopes of an agent that runs the same command once",
    make: () => json(join(home.project, ".claude", "settings.json"), { hooks: hooksFor("claude", "Stop") }),
  },
  {
    name: "an agent without hooks of its own that runs another's",
    make: () => {
      mkdirSync(at(".factory"));
      alter("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] });
    },
    line: /^Droid: hooks none of its own; it runs those of Claude Code$/,
  },
  {
    name: "an agent whose payloads tell that it ran another's hooks besides its own: the second is dropped",
    make: () => {
      json(at(".cursor", "hooks.json"), {
        version: 1,
        hooks: Object.fromEntries(
          ["stop", "subagentStop", "sessionEnd"].map((event) => [
            event,
            [{ command: `~/.beckon/hook ${event} --agent cursor || :` }],
          ]),
        ),
      });
      for (const event of ["Stop", "SessionEnd"]) home.journal({ agent: "cursor", event, status: "sent" });
    },
    line: /^Cursor: twice Cursor also runs the hooks of Claude Code: beckon tells them apart, and drops the second$/,
  },
  {
    name: "hooks that Codex was told to trust",
    make: () => {
      addAgent("codex", "hooks.json");
      home.write(at(".codex", "config.toml"), trusted("notification", "stop", "subagent_stop", "session_end"));
    },
    line: /^Codex: trust trusted, as far as the hooks were not changed since$/,
  },
  {
    name: "a folder Gemini has no rule for, with hooks of the user's alone",
    make: () => {
      addAgent("gemini", "settings.json");
      json(at(".gemini", "settings.json"), { ...folderTrust, hooks: hooksFor("gemini", ...droidHooks) });
    },
  },
  {
    name: "a folder Gemini does not trust while that is switched off",
    make: () => {
      addAgent("gemini", "settings.json");
      json(at(".gemini", "trustedFolders.json"), { [home.project]: "DO_NOT_TRUST" });
    },
  },
  {
    name: "a folder that Claude Code is known to trust",
    make: () => json(at(".claude.json"), { projects: { [dirname(home.project)]: { hasTrustDialogAccepted: true } } }),
    line: /^Claude Code: trust .*shop is trusted$/,
  },
];

test.each(fine)("it takes no offence at $name", async ({ make, line }) => {
  make();
  const { results } = await examine(home, search());
  expect(bad(results)).toEqual([]);
  if (line) expect(results.map(({ name, detail }) => `${name} ${detail}`)).toContainEqual(expect.stringMatching(line));
});

test.runIf(process.getuid?.() === 0)(
  "files of another user are read as the agent reads them, a policy before all",
  async () => {
    alter("claude", { switches: ({ home: there }) => [{ path: join(there, "policy.json"), off: { managed: true } }] });
    json(at("policy.json"), { managed: true });
    for (const path of [at("policy.json"), at(".claude", "settings.json")]) chownSync(path, 65_534, 65_534);
    expect(bad((await examine(home)).results)).toMatchObject([
      {
        name: "Claude Code: settings",
        detail: expect.stringMatching(/policy\.json: hooks are switched off by managed$/),
      },
    ]);
  },
);

test("hooks that the agent itself has moved to another of its files are as they were installed", async () => {
  rmSync(at(".claude"), { recursive: true });
  rmSync(home.paths.journal, { recursive: true });
  home.write(at(".factory", "settings.json"), "{}");
  cpSync(join(dirname(builtCli), "..", "templates"), join(home.paths.app, "templates"), { recursive: true });
  const env = { ...home.env, BECKON_DISABLE: "1" };
  const place = { home: home.home, project: home.project, env, platform: process.platform };
  expect((await home.run(["install", "--agent", "droid", "--yes"], { place })).exitCode).toBe(0);
  const { hooks } = JSON.parse(readFileSync(at(".factory", "settings.json"), "utf8"));
  json(at(".factory", "hooks.json"), hooks);
  json(at(".factory", "settings.json"), {});
  expect(bad((await examine(home)).results)).toEqual([]);
  delete hooks.Stop;
  json(at(".factory", "hooks.json"), hooks);
  expect(bad((await examine(home)).results)).toMatchObject([{ name: "Droid: hooks", detail: "missing for Stop" }]);
});

test("a file that cannot be read is one finding: what is in it nobody knows", async () => {
  home.write(at(".claude", "settings.json"), '{ "hooks": ');
  expect(bad((await examine(home)).results)).toMatchObject([{ name: "Claude Code: settings", status: "fail" }]);
});

test("what has not fired yet is a finding once the hooks are there for a day", async () => {
  rmSync(home.paths.journal, { recursive: true });
  rmSync(at(".claude", "settings.json"));
  cpSync(join(dirname(builtCli), "..", "templates"), join(home.paths.app, "templates"), { recursive: true });
  const env = { ...home.env, BECKON_DISABLE: "1" };
  const place = { home: home.home, project: home.project, env, platform: process.platform };
  expect((await home.run(["install", "--agent", "claude", "--yes"], { place })).exitCode).toBe(0);
  const folder = join(home.paths.state, "installs");
  const age = (hours: number) => {
    const then = new Date(Date.now() - hours * 3_600_000);
    for (const file of readdirSync(folder)) utimesSync(join(folder, file), then, then);
  };
  const last = async () => (await examine(home)).results.find(({ name }) => name === "Claude Code: last event");
  age(23);
  expect(await last()).toMatchObject({ status: "ok", detail: "none yet; the hooks are there for 23 h" });
  age(25);
  expect(await last()).toMatchObject({ status: "warn", detail: "never" });
});

test("people see problems first, an agent's lines together, and a count at the end", async () => {
  addDroid();
  rmSync(home.paths.worker);
  json(at(".factory", "hooks.json"), { PreToolUse: [] });
  const { stdout } = await examine(home, undefined, false);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^✗ worker program: /);
  expect(lines.findIndex((line) => line.startsWith("! Droid"))).toBeLessThan(
    lines.findIndex((line) => line.startsWith("✓")),
  );
  const subjects = lines.flatMap((line) => /^✓ (Droid|Claude Code):/.exec(line)?.[1] ?? []);
  expect(subjects).toEqual([...subjects].sort().reverse());
  expect(lines.at(-1)).toMatch(/^1 to mend, 1 to look at, \d+ fine\.$/);
});
