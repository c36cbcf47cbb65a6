import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { findRowSchema } from "../../../../src/cli/commands/service/output/csv.ts";
import { registerService } from "../../../../src/cli/commands/service/service.ts";
import type { Endpoint } from "../../../../src/service/endpoint.ts";
import { endpoints } from "../../../../src/service/endpoints.ts";
import { readOutput } from "../../../world/json-output.ts";
import { sharedServiceHome } from "../../../world/service-home.ts";

/** The command of each operation, repeated here because a renamed command would break users' scripts. */
const lines: Readonly<Record<string, string>> = {
  "analytics.tokens": "analytics tokens --since 2d",
  "analytics.tools": "analytics tools --since 2d",
  "analytics.activity": "analytics activity --since 2d",
  "analytics.productivity": "analytics productivity --since 2d",
  "analytics.users": "analytics users --since 2d",
  "readiness.reports": "readiness reports",
  "enterpriseControls.history": "enterprise-controls history",
  "sessions.list": "sessions list",
  "sessions.create": "sessions create --computer-id computer_1",
  "sessions.messages": "sessions messages SESSION",
  "sessions.message": "sessions message SESSION MESSAGE",
  "computers.update": "computers update computer_1 --name anew",
  "computers.installDeps": "computers install-deps computer_1",
  "users.list": "users list",
};

const world = sharedServiceHome({ users: 30, sessions: 30, reports: 30, changes: 30 });

function findCommand(endpoint: Endpoint): Command {
  const service = new Command("service");
  registerService(service, async () => {});
  const words = (lines[endpoint.name] ?? "").split(" ").slice(0, 2);
  return words.reduce(
    (command, word) => command.commands.find((subcommand) => subcommand.name() === word) ?? new Command(),
    service,
  );
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const inner = (schema: unknown): object =>
  (schema as { unwrap?: () => unknown }).unwrap
    ? inner((schema as { unwrap: () => unknown }).unwrap())
    : ((schema as { shape?: object }).shape ?? {});

/** Lists the names in a query or body, including fields of objects. */
function namesIn(endpoint: Endpoint): string[] {
  const { shape } = endpoint.query ?? endpoint.body ?? { shape: {} };
  return [...Object.keys(shape), ...Object.values(shape).flatMap((field) => Object.keys(inner(field)))];
}

function fillLine({ name }: Endpoint): string {
  const { sessionId = "" } = world.sandbox.state.sessions.at(-1) ?? {};
  const message = `msg_${sessionId.slice(0, 8)}_3`;
  return (lines[name] ?? "").replace("SESSION", sessionId).replace("MESSAGE", message);
}

/** Restores the instants of a row, which the service sends as Unix milliseconds if they are not texts in its schema. */
function withEpochTimes(row: object, endpoint: Endpoint): unknown {
  const copy = structuredClone(row);
  for (const issue of findRowSchema(endpoint, false).safeParse(row).error?.issues ?? []) {
    if (issue.code !== "invalid_type" || issue.expected !== "number") continue;
    const name = issue.path.at(-1) as string;
    const parent = issue.path.slice(0, -1).reduce<unknown>((value, key) => (value as never)[key], copy);
    const fields = parent as Record<string, unknown>;
    fields[name] = Date.parse(String(fields[name]));
  }
  return copy;
}

test("this table has every operation", () => {
  expect(Object.keys(lines)).toEqual(endpoints.map(({ name }) => name));
});

describe.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))("%s", (_, endpoint) => {
  test("has a described option for every field", () => {
    const options = findCommand(endpoint).options;
    const flags = options.map(({ long }) => long);
    expect(flags).toEqual(expect.arrayContaining(namesIn(endpoint).map((name) => `--${kebab(name)}`)));
    expect(flags).toEqual(expect.arrayContaining(["--json", "--csv"]));
    expect(new Set(flags).size).toBe(flags.length);
    expect(options.filter(({ description }) => !/^[a-zA-Z]/.test(description)).map(({ long }) => long)).toEqual([]);
    if (endpoint.daily) expect(flags).toEqual(expect.arrayContaining(["--since", "--until"]));
    if ("items" in endpoint) expect(flags).toEqual(expect.arrayContaining(["--limit", "--all"]));
  });

  test("has an argument for every id in the path", () => {
    const parts = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => kebab(name ?? ""));
    expect(findCommand(endpoint).registeredArguments.map((argument) => argument.name())).toEqual(parts);
  });

  test("shows the service's reply as a table, as JSON and as CSV", async () => {
    const results: string[] = [];
    for (const how of ["", " --json", " --csv"]) {
      world.sandbox.seen.length = 0;
      const { exitCode, stdout } = await world.run(`${fillLine(endpoint)}${how}`);
      expect(exitCode).toBe(0);
      const [seen] = world.sandbox.seen;
      // The table of changes compares its last row with the next one.
      const count = endpoint.name === "enterpriseControls.history" && how === "" ? 2 : 1;
      const requests = world.sandbox.seen.length;
      expect([seen?.method, seen?.status, requests]).toEqual([endpoint.method, endpoint.status, count]);
      expect(seen?.base).toBe(endpoint.base);
      results.push(stdout);
    }
    const [people = "", json = "", csv = ""] = results;
    const rows = json
      .trimEnd()
      .split("\n")
      .map((line) => findRowSchema(endpoint, false).parse(withEpochTimes(JSON.parse(line), endpoint)));
    expect(json).not.toMatch(/At":\d/);
    readOutput(`service ${fillLine(endpoint).split(" ").slice(0, 2).join(" ")}`, json);
    expect(csv).toMatch(/\r\n$/);
    expect(csv.split("\r\n")[0]?.split(",")[0]).toBe(Object.keys(rows[0] as object)[0]);
    // Details are below their row, indented.
    const lines = people
      .trimEnd()
      .split("\n")
      .filter((line) => !/^ {4}\S/.test(line));
    if ("items" in endpoint) expect(lines).toHaveLength(rows.length + 1);
    else expect([people, rows.length]).toEqual([expect.stringMatching(/^\w+ {2,}\S/), 1]);
  });
});

test.each([
  ["tokens", "model", "group_key"],
  ["tools", "tool_name", "group_key"],
  ["activity", "client", "group_key"],
])("analytics %s --group-by %s has its own columns, in a table and in CSV", async (name, by, key) => {
  const line = `analytics ${name} --since 1d --group-by ${by}`;
  const { stdout } = await world.run(`${line} --csv`);
  expect(world.sandbox.seen.at(-1)?.url.searchParams.get("group_by")).toBe(by);
  expect(stdout.split("\r\n")[0]).toMatch(new RegExp(`^date,${key},\\w+`));
  expect((await world.run(line)).stdout).toMatch(/^day {2,}(model|tool|client) /);
});
