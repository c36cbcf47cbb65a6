import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useCliHome } from "../../../world/cli-home.ts";
import { collectFailures } from "../../../world/collect-failures.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";
import { readOutput } from "../../../world/json-output.ts";

const home = useCliHome();
beforeEach(() => installHealthy(home));

const absent = { type: "command", run: ["/nowhere/notify"] };
const present = { type: "command", run: ["true"] };
const other = { type: "command", run: ["no-such-program-here"] };

type Row = readonly [title: string, config: object, expected: readonly RegExp[], exitCode: number];

const unable = (status: string, name: string) => new RegExp(`^${status} notifier ${name}: .* \\| .`);

const rows: readonly Row[] = [
  [
    "every notifier lacks its program",
    { notifiers: { absent } },
    [/^fail .*, so needs-you and failed events only reach/],
    1,
  ],
  ["two lack theirs", { notifiers: { absent, other } }, [unable("fail", "absent"), unable("fail", "other")], 1],
  ["one of two works", { notifiers: { absent, present } }, [unable("warn", "absent")], 0],
  [
    "the working one gets only finished turns",
    {
      notifiers: { absent, present },
      routes: [
        { kinds: ["needs-you"], to: ["absent"] },
        { kinds: ["finished"], to: ["present"] },
      ],
    },
    [/^fail notifier absent: .*, so needs-you events only reach/],
    1,
  ],
  [
    "the working one is in no route",
    { notifiers: { absent, present }, routes: [{ kinds: ["finished"], to: ["absent"] }] },
    [/^fail notifier absent: .*, so all events only reach/],
    1,
  ],
  [
    "the one without its program is in no route",
    { notifiers: { absent, present }, routes: [{ to: ["present"] }] },
    [unable("warn", "absent")],
    0,
  ],
  [
    "a route's folder does not exist",
    {
      notifiers: { present },
      routes: [
        { projects: ["/nowhere/shop/**", "/usr", "**", "~/**"], to: ["present"] },
        { hosts: ["devbox"], projects: ["/srv/nowhere"], to: ["present"] },
      ],
    },
    [/^warn routes: \/nowhere\/shop in `projects` of route 1 does not exist, .* \| .*config edit$/],
    0,
  ],
  [
    "no route leads anywhere",
    { notifiers: { present }, routes: [] },
    [/^fail notifiers: no route leads to a notifier/],
    1,
  ],
];

test("it is a problem exactly if no notifier can receive urgent events", async () => {
  const check = async ([, config, expected, exitCode]: Row) => {
    home.config(config);
    const found = await runChecks(home);
    const problems = problemsIn(found.results).filter((line) => !line.includes(" configuration:"));
    expect(problems).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    expect(found.exitCode).toBe(exitCode);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a route that no project of the last month can match is named, once configuration and journal are that old", async () => {
  const folders = ["code/shop", "code/api", "sites/blog"].map((name) => join(home.home, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const [shop = "", , blog = ""] = folders;
  const routes = [`${shop}/**`, join(home.home, "code", "*"), join(home.home, "**"), `${blog}/**`, "/usr/*/x/**"];
  home.config({ notifiers: { present }, routes: routes.map((glob) => ({ projects: [glob], to: ["present"] })) });
  const named = async () => {
    const { results } = await runChecks(home);
    return problemsIn(results).flatMap((line) => /^warn routes: no project .* of route (\d)/.exec(line)?.[1] ?? []);
  };
  home.journal({ project: "shop (fix-login)", status: "accepted" });
  expect(await named()).toEqual([]);
  utimesSync(home.paths.config, 0, 0);
  expect(await named()).toEqual([]);
  home.write(join(home.paths.journal, "2020-01.jsonl"), "");
  expect(await named()).toEqual(["4"]);
});

test("the cure of an unusable notifier is the hint from its test", async () => {
  const chime = { type: "sound", program: "/nowhere/player" };
  home.config({ notifiers: { absent, chime, voice: { type: "speech", program: "/nowhere/voice" } } });
  const tested = readOutput("test", (await home.run(["test", "absent", "chime", "voice", "--json"])).stdout);
  const { results } = await runChecks(home);
  expect(readOutput("doctor", (await home.run(["doctor", "--json"])).stdout).length).toBeGreaterThan(0);
  const cures = results.flatMap(({ name, cure }) => (name.startsWith("notifier ") ? [[name.slice(9), cure]] : []));
  expect(cures).toEqual(tested.map(({ name, hint }) => [name, hint]));
});
