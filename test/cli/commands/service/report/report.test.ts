import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import picocolors from "picocolors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registerReport } from "../../../../../src/cli/commands/service/service.ts";
import type { CliContext } from "../../../../../src/cli/context.ts";
import { pathsOf } from "../../../../../src/core/paths.ts";
import { type Change, forbidden, startFront } from "../../../../report/front.ts";
import { sumOf } from "../../../../report/rows.ts";
import { keys } from "../../../../world/service/access.ts";
import { all, clientOf, noonMs, openSandbox } from "../../../../world/service/client.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "beckon-report-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs `report …` without the rest of the command line. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv, changes: Partial<CliContext> = {}) {
  const result = { exitCode: 0, stdout: "", stderr: "" };
  const colors = picocolors.createColors(false);
  const context: CliContext = {
    paths: pathsOf(join(home, ".beckon")),
    environment: { home, project: home, env: { LANG: "C.UTF-8", ...env }, platform: process.platform },
    print: (text) => {
      result.stdout += `${text}\n`;
    },
    printError: (text) => {
      result.stderr += `${text}\n`;
    },
    colors,
    errorColors: colors,
    now: () => noonMs,
    interruption: () => new AbortController().signal,
    ...changes,
  };
  const service = new Command("service").exitOverride().configureOutput({ writeErr: () => {} });
  registerReport(service.command("report"), async (code) => {
    result.exitCode = await code(context);
  });
  for (const command of service.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  await service.parseAsync(["report", ...args], { from: "user" });
  return result;
}

async function world(apiKey = keys.manager) {
  const sandbox = await openSandbox({ users: 30 });
  return { sandbox, env: { BECKON_BASE_URL: sandbox.baseUrl, BECKON_API_KEY: apiKey } };
}

test("without options the report shows the last thirty days", async () => {
  const { env } = await world();
  const { exitCode, stdout, stderr } = await run([], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage 16 May 2026 to 14 Jun 2026 {2}org_sandbox · 30 days, UTC\n/);
  expect(stdout).toContain("█");
});

test("a terminal without UTF-8 gets ASCII, and a narrow one short lines", async () => {
  const { env } = await world();
  const terminal = { columns: () => 50, write: () => {} };
  const { stdout } = await run(["--since", "7d"], { ...env, LANG: "", LC_ALL: "C" }, { terminal });
  expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(50);
});

test("--json prints the numbers of the requested days", async () => {
  const { sandbox, env } = await world();
  const { stdout } = await run(["--json", "--since", "2026-06-01", "--until", "2026-06-03"], env);
  const report = JSON.parse(stdout);
  const span = { startDate: "2026-06-01", endDate: "2026-06-03" };
  expect(report.days).toEqual(["2026-06-01", "2026-06-02", "2026-06-03"]);
  const rows = await all(clientOf(sandbox).analytics.users(span));
  expect(report.credits.total).toBe(sumOf(rows, (row) => row.billable_tokens));
});

test("--out writes a page and says where", async () => {
  const { env } = await world();
  const { exitCode, stdout, stderr } = await run(["--out", "report.html"], env);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: `Wrote ${join(home, "report.html")}\n`,
  });
  expect(readFileSync(join(home, "report.html"), "utf8")).toMatch(/^<!doctype html>.*<\/html>\n$/s);
});

test("a file that cannot be written is reported before any request", async () => {
  const { sandbox, env } = await world();
  await expect(run(["--out", "no/report.html"], env)).rejects.toThrow(/the folder .*no does not exist/);
  await expect(run(["--out", "."], env)).rejects.toThrow(/is a folder/);
  expect(sandbox.seen).toEqual([]);
});

test("--out - writes the page to standard output", async () => {
  const { env } = await world();
  const { stdout, stderr } = await run(["--out", "-"], env);
  expect(stdout).toMatch(/^<!doctype html>.*<\/html>\n$/s);
  expect(stderr).toBe("");
});

test("a missing part is reported on standard error and on the page, with exit code 1", async () => {
  const { sandbox, env } = await world();
  const baseUrl = await startFront(sandbox, { users: forbidden });
  const { exitCode, stderr } = await run(["--out", "report.html"], { ...env, BECKON_BASE_URL: baseUrl });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/Users: missing: .*403/);
  expect(stderr).toMatch(/Manager or Owner/);
  const page = readFileSync(join(home, "report.html"), "utf8");
  expect(page).toContain("<strong>Users</strong>");
  expect(page).toContain('id="credits"');
  expect(stderr + page).not.toContain(keys.manager);
});

test("days that the service leaves out are told on standard error, in the text and on the page, with exit code 1", async () => {
  const { sandbox, env } = await world();
  const dropWeek: Change = ({ data, meta }) => ({ data: data.filter(({ date }) => date < "2026-06-08"), meta });
  const baseUrl = await startFront(sandbox, { tokens: dropWeek });
  const own = { ...env, BECKON_BASE_URL: baseUrl };
  const text = await run([], own);
  expect(text.exitCode).toBe(1);
  expect(text.stderr).toContain("Credits and tokens: no data for 7 of 30 days (8–14 Jun)");
  expect(text.stdout).toMatch(/^missing {2}Credits and tokens \(23 of 30 days\)$/m);
  const page = await run(["--out", "-"], own);
  expect(page.exitCode).toBe(1);
  expect(page.stdout).toContain("no data for 7 of 30 days (8–14 Jun)");
});

test("a span that begins before the data says that it is cut", async () => {
  const { env } = await world();
  const cut = await run(["--since", "400d", "--until", "2026-02-01"], env);
  expect(cut.exitCode).toBe(0);
  expect(cut.stderr).toBe("Data begins on 2026-01-14: --since 400d is cut to that day.\n");
  expect(cut.stdout).toMatch(/^Usage 14 Jan 2026 to 1 Feb 2026 /);
});

test("--csv writes the numbers beside whatever else is made, for their owner alone", async () => {
  const { env } = await world();
  const { exitCode, stdout, stderr } = await run(["--csv", "numbers", "--json", "--top", "3", "--no-names"], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `Wrote CSV files into ${join(home, "numbers")}\n` });
  const read = (name: string): string[] =>
    readFileSync(join(home, "numbers", name), "utf8")
      .trimEnd()
      .split("\r\n");
  const report = JSON.parse(stdout);
  expect(readdirSync(join(home, "numbers")).sort()).toEqual([
    "coverage.csv",
    "days.csv",
    "figures.csv",
    "idle-seats.csv",
    "rankings.csv",
    "users.csv",
  ]);
  expect(read("figures.csv")[1]).toMatch(
    new RegExp(`^credits,${report.credits.total},\\d+,-?[\\d.]+,,Standard Credits`),
  );
  expect(read("days.csv")).toHaveLength(31);
  expect(read("users.csv").map((line) => line.split(",")[0])).toEqual([
    "user",
    "User 1",
    "User 2",
    "User 3",
    "(27 others)",
  ]);
  expect(statSync(join(home, "numbers")).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, "numbers", "users.csv")).mode & 0o777).toBe(0o600);
});

test("a price of a credit shows what it cost", async () => {
  const { env } = await world();
  const { stdout } = await run(["--price", "0.5EUR", "--json"], env);
  expect(JSON.parse(stdout).price).toEqual({ perCredit: 0.5, currency: "EUR" });
  expect((await run(["--price", "EUR 0.5"], env)).stdout).toMatch(/Cost +€[\d,.]+ .*\n/);
  await expect(run(["--price", "cheap"], env)).rejects.toThrow("--price must be an amount above 0");
});

test("the terminal shows progress while users are requested, and Ctrl-C ends it", async () => {
  const { env } = await world();
  const written: string[] = [];
  const errorTerminal = { columns: () => 80, write: (text: string) => void written.push(text) };
  await run([], env, { errorTerminal });
  expect(written.join("")).toMatch(/900 rows of users so far …\r\u001b\[2K$/);
  const { exitCode, stdout, stderr } = await run([], env, { interruption: () => AbortSignal.abort() });
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 130, stdout: "", stderr: "Stopped.\n" });
});

describe("nothing is written if", () => {
  test.each([
    ["every part fails", ["--out", "report.html", "--csv", "no"], keys.member, "CommandError"],
    ["the CSV's place is a file", ["--out", "report.html", "--csv", "report.html"], keys.owner, "CommandError"],
    ["the folder around the CSV's does not exist", ["--csv", "no/numbers"], keys.owner, "CommandError"],
    ["the key is wrong", ["--out", "report.html"], "wrong", "CommandError"],
    ["the period ends today", ["--out", "report.html", "--until", "today"], keys.owner, "UsageError"],
    ["the folder does not exist", ["--out", "no/report.html"], keys.owner, "CommandError"],
    ["both page and JSON are requested", ["--out", "report.html", "--json"], keys.owner, "CommanderError"],
  ])("%s", async (_, args, apiKey, name) => {
    const { env } = await world(apiKey);
    writeFileSync(join(home, "report.html"), "old");
    const failure = await run(args, env).catch((error: unknown) => error);
    expect((failure as Error).constructor.name).toBe(name);
    expect(readFileSync(join(home, "report.html"), "utf8")).toBe("old");
    expect(existsSync(join(home, "no"))).toBe(false);
  });
});
