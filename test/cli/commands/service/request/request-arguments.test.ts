import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openServiceHome, type ServiceHome } from "../../../../world/service-home.ts";

let world: ServiceHome;
beforeAll(async () => {
  world = await openServiceHome({ users: 3, sessions: 30, reports: 3, changes: 3 });
});
afterAll(() => world.close());
beforeEach(() => {
  world.sandbox.seen.length = 0;
});

describe("arguments", () => {
  test("filters and ids reach the service", async () => {
    const { sessionId = "" } = world.sandbox.state.sessions[1] ?? {};
    await world.run(`sessions messages ${sessionId} --role user --computer-id computer_1`);
    expect(world.sandbox.seen[0]?.url.pathname).toBe(`/api/v0/sessions/${sessionId}/messages`);
    const { searchParams } = world.sandbox.seen[0]?.url ?? new URL("x:");
    expect(Object.fromEntries(searchParams)).toEqual({ role: "user", computerId: "computer_1" });
  });

  test("an object and its fields make one body, in which a separate field wins", async () => {
    const settings = '{"model":"a","tags":[{"name":"t"}]}';
    const args = ["sessions", "create", "--computer-id", "computer_1", "--cwd", "/x", "--session-settings", settings];
    const further = ["--model", "b", "--enabled-tool-ids", "Read", "--enabled-tool-ids", "Edit"];
    const { exitCode } = await world.run([...args, ...further, "--assistant-active-time-ms", "1.5"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(world.sandbox.seen[0]?.body ?? "")).toEqual({
      computerId: "computer_1",
      cwd: "/x",
      sessionSettings: {
        model: "b",
        tags: [{ name: "t" }],
        enabledToolIds: ["Read", "Edit"],
        assistantActiveTimeMs: 1.5,
      },
    });
  });

  test("JSON can come from a file, relative to the working directory", async () => {
    world.home.write(join(world.home.project, "s.json"), '\ufeff{"model":"m"}');
    await world.run("sessions create --computer-id computer_1 --session-settings @s.json");
    expect(JSON.parse(world.sandbox.seen[0]?.body ?? "").sessionSettings).toEqual({ model: "m" });
  });

  test("are checked before the key is looked up", async () => {
    const { exitCode, stderr } = await world.run("sessions messages ..", {}, { BECKON_API_KEY: "" });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("must be an id")]);
  });

  test.each([
    { line: "users list --limit 0", says: "It must be a whole number, 1 or more" },
    { line: "users list --limit 1e2", says: "It must be a whole number, 1 or more" },
    { line: "analytics tokens --limit 0", says: "It must be a whole number, 1 or more" },
    { line: "analytics tokens --until today", says: "--until 2026-06-15 is today (UTC): data has a 24-hour lag" },
    {
      line: "analytics tokens --start-date 2026-06-15 --end-date 2026-06-15",
      says: "--start-date 2026-06-15 is today (UTC)",
    },
    { line: "analytics tokens --start-date 2026-06-01", says: "--start-date and --end-date go together" },
    {
      line: "analytics tokens --start-date 2026-06-01 --end-date 2026-06-02 --since 7d",
      says: "--start-date and --end-date go together",
    },
    {
      line: "analytics tokens --start-date 1.6.2026 --end-date 2026-06-02",
      says: "--start-date must be a calendar day",
    },
    { line: "analytics tokens --group-by user", says: "Allowed choices are model" },
    { line: "analytics productivity --group-by model", says: "unknown option '--group-by'" },
    { line: "sessions messages x --role system", says: "Allowed choices are user, assistant, tool" },
    { line: "sessions messages ..", says: "<session-id> must be an id" },
    { line: "sessions message x", says: "missing required argument 'message-id'" },
    { line: "sessions create", says: "required option '--computer-id <id>' not specified" },
    {
      line: "sessions create --computer-id c --session-settings {canary",
      says: "--session-settings is not valid JSON",
    },
    { line: "sessions create --computer-id c --session-settings @canary-no", says: "cannot be read (ENOENT)" },
    {
      line: "sessions create --computer-id c --session-settings @.",
      says: "takes at most 1 MiB, from a regular file or standard input",
    },
    {
      line: "sessions create --computer-id c --session-settings [1] --model m",
      says: "expected object, received array",
    },
    {
      line: 'sessions create --computer-id c --session-settings {"mode":1}',
      says: "--session-settings mode is not accepted",
    },
    { line: "computers update c", says: "Give one or more of --name, --host-id, --remote-user." },
    { line: "computers update c --host-id x", says: "--host-id must be a UUID" },
    { line: `computers update c --name ${"x".repeat(64)}`, says: "--name must be a text of 1 to 63 characters" },
    { line: "users list --json --csv", says: "cannot be used with option" },
    { line: "users lst", says: "Did you mean list?" },
    { line: "user", says: "Did you mean users?" },
  ])("$line is wrong usage, and nothing is sent", async ({ line, says }) => {
    const { exitCode, stdout, stderr } = await world.run(line);
    expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
    expect(stderr).not.toMatch(/\{canary|`\w+`/);
    expect(world.sandbox.seen).toEqual([]);
  });
});
