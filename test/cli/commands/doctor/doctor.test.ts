import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../../cli-home.ts";
import { bad, examine, makeWell } from "./doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  makeWell(home);
});
afterEach(() => home.remove());

test("where all is well every check says so, exit code 0", async () => {
  const { exitCode, results } = await examine(home);
  expect(bad(results)).toEqual([]);
  expect(exitCode).toBe(0);
  expect(new Set(results.flatMap((result) => Object.keys(result)))).toEqual(new Set(["name", "status", "detail"]));
});

interface Ailment {
  readonly name: string;
  readonly make: () => void;
  readonly status: "warn" | "fail";
  readonly check: string;
  readonly detail: RegExp;
  readonly cure: RegExp;
}
const old = (path: string, seconds: number): void => {
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(path, then, then);
};
const settings = (): string => join(home.home, ".claude", "settings.json");

const ailments: readonly Ailment[] = [
  {
    name: "no Node is written down",
    make: () => rmSync(home.paths.nodeRecord),
    status: "fail",
    check: "node for the worker",
    detail: /names none/,
    cure: /beckon upgrade/,
  },
  {
    name: "the recorded Node is gone",
    make: () => writeFileSync(home.paths.nodeRecord, "/gone/node\n"),
    status: "fail",
    check: "node for the worker",
    detail: /\/gone\/node is not there any more.*make do with \/.*node/,
    cure: /beckon upgrade/,
  },
  {
    name: "the recorded Node does not run",
    make: () => writeFileSync(home.paths.nodeRecord, home.write(join(home.home, "node"), "#!/bin/sh\nexit 1\n", 0o700)),
    status: "fail",
    check: "node for the worker",
    detail: /does not run/,
    cure: /--version/,
  },
  {
    name: "the recorded Node is too old",
    make: () =>
      writeFileSync(home.paths.nodeRecord, home.write(join(home.home, "node"), "#!/bin/sh\necho v18.20.1\n", 0o700)),
    status: "fail",
    check: "node for the worker",
    detail: /is v18\.20\.1/,
    cure: /Node 20 or newer/,
  },
  {
    name: "the launcher is missing",
    make: () => rmSync(home.paths.launcher),
    status: "fail",
    check: "launcher",
    detail: /missing/,
    cure: /beckon install/,
  },
  {
    name: "the launcher is not executable",
    make: () => chmodSync(home.paths.launcher, 0o600),
    status: "fail",
    check: "launcher",
    detail: /not executable/,
    cure: /chmod 700/,
  },
  {
    name: "the launcher is another version's",
    make: () => writeFileSync(home.paths.launcher, "#!/bin/sh\n"),
    status: "warn",
    check: "launcher",
    detail: /is not the one/,
    cure: /beckon install/,
  },
  {
    name: "the worker is missing",
    make: () => rmSync(home.paths.worker),
    status: "fail",
    check: "worker program",
    detail: /missing/,
    cure: /beckon install/,
  },
  {
    name: "a folder is missing",
    make: () => rmSync(join(home.paths.spool, "cur"), { recursive: true }),
    status: "fail",
    check: "folders",
    detail: /missing: .*cur/,
    cure: /beckon install/,
  },
  {
    name: "a folder is open to others",
    make: () => chmodSync(home.paths.spool, 0o755),
    status: "fail",
    check: "folders",
    detail: /spool is open/,
    cure: /chmod 700 .*spool/,
  },
  {
    name: "the configuration is open to others",
    make: () => chmodSync(home.paths.config, 0o644),
    status: "fail",
    check: "folders",
    detail: /config\.jsonc is open/,
    cure: /chmod 600/,
  },
  {
    name: "no agent is set up",
    make: () => home.write(settings(), "{}"),
    status: "fail",
    check: "Claude Code: hooks",
    detail: /not set up/,
    cure: /beckon install --agent claude/,
  },
  {
    name: "another agent is not set up",
    make: () => mkdirSync(join(home.home, ".factory")),
    status: "warn",
    check: "Droid: hooks",
    detail: /not set up/,
    cure: /beckon install --agent droid/,
  },
  {
    name: "an entry was removed by another",
    make: () =>
      home.write(
        settings(),
        JSON.stringify({
          hooks: { Stop: [{ hooks: [{ type: "command", command: "~/.beckon/hook Stop --agent claude || :" }] }] },
        }),
      ),
    status: "warn",
    check: "Claude Code: hooks",
    detail: /missing for (?!.*\bStop\b).*SubagentStop/,
    cure: /beckon install --agent claude/,
  },
  {
    name: "hooks are switched off",
    make: () => home.write(join(home.project, ".claude", "settings.json"), '{"disableAllHooks":true}'),
    status: "fail",
    check: "Claude Code: settings",
    detail: /switched off by disableAllHooks/,
    cure: /Remove disableAllHooks/,
  },
  {
    name: "a settings file is broken",
    make: () => home.write(join(home.project, ".claude", "settings.local.json"), '{\n"hooks":'),
    status: "fail",
    check: "Claude Code: settings",
    detail: /settings\.local\.json: not valid JSON at line 2/,
    cure: /Mend/,
  },
  {
    name: "an agent has never fired",
    make: () => rmSync(home.paths.journal, { recursive: true }),
    status: "warn",
    check: "Claude Code: last event",
    detail: /never/,
    cure: /finish a turn/,
  },
  {
    name: "the configuration has an error",
    make: () => home.config({ notifiers: { team: { type: "slack", url: "canary-7Xw" } } }),
    status: "fail",
    check: "configuration",
    detail: /config\.jsonc:1:\d+ notifiers\.team\.url:/,
    cure: /config check/,
  },
  {
    name: "nobody is told",
    make: () => home.config({ notifiers: {} }),
    status: "fail",
    check: "notifiers",
    detail: /none/,
    cure: /config init/,
  },
  {
    name: "a secret is not there",
    make: () => home.config({ notifiers: { team: { type: "slack", url: "${env:BECKON_TEST_UNSET}" } } }),
    status: "fail",
    check: "notifier team",
    detail: /\$\{env:BECKON_TEST_UNSET\} gives nothing/,
    cure: /Set it/,
  },
  {
    name: "a secret's file is open to others",
    make: () =>
      home.config({
        notifiers: {
          team: { type: "slack", url: `\${file:${home.write(join(home.home, "s"), "canary-7Xw", 0o644)}}` },
        },
      }),
    status: "fail",
    check: "notifier team",
    detail: /can be read by others/,
    cure: /chmod 600/,
  },
  {
    name: "a secret is no address",
    make: () =>
      home.config({
        notifiers: { team: { type: "slack", url: `\${file:${home.write(join(home.home, "s"), "canary-7Xw")}}` } },
      }),
    status: "fail",
    check: "notifier team",
    detail: /not usable once its reference is resolved/,
    cure: /./,
  },
  {
    name: "fresh events lie about",
    make: () => {
      home.fresh("event-0001");
      old(join(home.paths.spool, "new", "event-0001.json"), 90);
    },
    status: "fail",
    check: "spool",
    detail: /1 events wait, the oldest for 2 min/,
    cure: /beckon flush/,
  },
  {
    name: "a worker left events lying",
    make: () => home.write(join(home.paths.spool, "cur", "event-0001.json"), ""),
    status: "warn",
    check: "spool",
    detail: /1 events were left lying/,
    cure: /beckon flush/,
  },
  {
    name: "attempts are overdue",
    make: () => home.write(join(home.paths.spool, "cur", `event-0001.t${Date.now() - 90_000}.json`), ""),
    status: "warn",
    check: "spool",
    detail: /left lying/,
    cure: /beckon flush/,
  },
  {
    name: "events were given up",
    make: () => home.bury("event-0001"),
    status: "warn",
    check: "given up",
    detail: /1 events/,
    cure: /beckon retry --failed/,
  },
  {
    name: "the service's key is refused",
    make: () => home.journal({ status: "accepted", reason: "lookup service: https://api.example.com answered 401" }),
    status: "warn",
    check: "lookups",
    detail: /answered 401$/,
    cure: /beckon service sessions list/,
  },
  {
    name: "a transcript cannot be read",
    make: () => home.journal({ status: "accepted", reason: "lookup transcript: took too long" }),
    status: "warn",
    check: "lookups",
    detail: /took too long$/,
    cure: /^beckon log$/,
  },
  {
    name: "input was refused",
    make: () => home.journal({ status: "rejected" }, { status: "rejected" }),
    status: "warn",
    check: "rejected, last 7 days",
    detail: /2 events/,
    cure: /beckon log --failed/,
  },
  {
    name: "events were evicted",
    make: () => home.journal({ status: "expired", reason: "evicted: the spool is full" }),
    status: "warn",
    check: "evicted, last 7 days",
    detail: /1 events/,
    cure: /beckon log --failed/,
  },
];

test.each(ailments)("it notices when $name", async ({ make, status, check, detail, cure }) => {
  make();
  const { exitCode, results } = await examine(home);
  const found = bad(results).find((result) => result.name === check && detail.test(result.detail));
  expect(found, JSON.stringify(bad(results))).toMatchObject({ status, cure: expect.stringMatching(cure) });
  const isFailing = bad(results).some((result) => result.status === "fail");
  expect(exitCode).toBe(isFailing ? 1 : 0);
  if (status === "fail") expect(exitCode).toBe(1);
});

test("what was refused more than a week ago is forgiven", async () => {
  home.journal({ at: new Date(Date.now() - 8 * 86_400_000).toISOString(), status: "rejected" });
  expect(bad((await examine(home)).results)).toEqual([]);
});

test("a lookup's failure is forgotten after five events without one", async () => {
  const failed = { status: "accepted", reason: "lookup service: https://api.example.com answered 401" } as const;
  home.journal(failed, ...Array.from({ length: 4 }, () => ({ status: "accepted" }) as const));
  expect(bad((await examine(home)).results)).toHaveLength(1);
  home.journal({ status: "accepted" });
  expect(bad((await examine(home)).results)).toEqual([]);
});

test("it notices programs that are missing", async () => {
  const { results } = await examine(home, [join(home.home, "empty")]);
  const missing = bad(results).map(({ name, status }) => `${name}: ${status}`);
  expect(missing).toEqual(["node on PATH: warn", "sh: fail", "timeout: warn", "setsid: warn"]);
});

test("people see a line for each check, its cure below", async () => {
  rmSync(home.paths.worker);
  home.bury("event-0001");
  const { stdout } = await examine(home, undefined, false);
  expect(stdout).toContain(
    `✗ worker program: ${home.paths.worker} is missing: events wait in the spool\n    beckon install\n`,
  );
  expect(stdout).toContain("! given up: 1 events\n    beckon retry --failed\n");
  expect(stdout).toMatch(/^✓ notifier team: slack$/m);
});

test("a notifier's own check is asked, with its settings resolved", async () => {
  const { slack } = await import("../../../../src/notifiers/slack.ts");
  slack.check = async ({ settings: { url } }) => `there is no lamp at ${url}`;
  const { exitCode, results } = await examine(home);
  delete slack.check;
  expect(exitCode).toBe(0);
  expect(bad(results)).toEqual([
    { name: "notifier team", status: "warn", detail: "there is no lamp at [secret]", cure: "beckon test team" },
  ]);
});
