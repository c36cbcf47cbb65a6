import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtCli } from "../../../world/cli-home.ts";
import { useHome } from "../../../world/use-home.ts";

const home = useHome();
let client: Client;
const messages = () => readFileSync(join(home.paths.root, "messages.jsonl"), "utf8");

beforeEach(async () => {
  const log = { type: "file", path: join(home.paths.root, "messages.jsonl"), for: "machine" };
  home.writeConfig({ notifiers: { log }, lookups: [] });
  client = await connect("auto");
});
afterEach(() => client.close());

/** Starts the server as an agent does: as a child process, over standard input and output. */
async function connect(mode: "auto" | "legacy", env: NodeJS.ProcessEnv = {}): Promise<Client> {
  const info = { name: "some-agent", title: "Some Agent", version: "1.0.0" };
  const started = new Client(info, { versionNegotiation: { mode } });
  const args = [builtCli, "mcp"];
  const all = { ...home.env, ...env } as Record<string, string>;
  await started.connect(new StdioClientTransport({ command: process.execPath, args, env: all, cwd: home.paths.root }));
  return started;
}

const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
const accepted = async (count = 1) => {
  const journal = await home.until((lines) => lines.filter(({ status }) => status === "sent").length >= count);
  return journal.filter(({ status }) => status === "accepted");
};

test("a client of another make lists both tools, with described parameters and honest annotations", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["notify", "list_waiting"]);
  const [notify, list] = tools;
  expect(notify?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false });
  expect(list?.annotations).toMatchObject({ readOnlyHint: true });
  const parameters = Object.entries(notify?.inputSchema.properties ?? {}) as [string, { description?: string }][];
  expect(parameters.map(([name]) => name)).toEqual(["title", "body", "kind", "project"]);
  expect(parameters.filter(([, { description }]) => !description)).toEqual([]);
  expect(notify?.inputSchema.required).toEqual(["title"]);
  expect(list?.outputSchema?.properties).toHaveProperty("waiting");
});

test("a client of the protocol's first years is served too", async () => {
  const older = await connect("legacy");
  expect((await older.listTools()).tools).toHaveLength(2);
  expect(await older.callTool({ name: "notify", arguments: { title: "From an older client" } })).not.toHaveProperty(
    "isError",
  );
  expect(await accepted()).toMatchObject([{ summary: expect.stringContaining("From an older client") }]);
  await older.close();
});

test("notify sends a message that names the agent, and a later one of its session resolves a request", async () => {
  await call("notify", { title: "Which key?", body: "staging or production", kind: "needs-you", project: "web" });
  const [asked] = await accepted();
  expect(asked).toMatchObject({ agent: "cli", kind: "needs-you", project: "web", summary: "Some Agent: Which key?" });
  expect(messages()).toMatch(/"web(@[^ ]+)? · Some Agent: Which key\?"/);
  const { structuredContent } = await call("list_waiting");
  expect(structuredContent).toMatchObject({
    waiting: [{ project: "web", kind: "needs-you", request: "Some Agent: Which key?" }],
  });
  await call("notify", { title: "Done", project: "web" });
  const journal = await home.until((lines) => lines.some(({ status }) => status === "resolved"));
  expect(journal.find(({ status }) => status === "resolved")).toMatchObject({ id: asked?.id, resolvedBy: "stop" });
  expect((await call("list_waiting")).structuredContent).toEqual({ waiting: [] });
});

test("what an agent sends is data: no control characters, no other fields, nothing too long", async () => {
  await call("notify", { title: "a\u001b[31m\u202eb", to: ["other"], session_id: "beckon-install-1", kind: "failed" });
  const [event] = await accepted();
  expect(event).toMatchObject({ summary: "Some Agent: ab", kind: "failed", sessionId: expect.stringMatching(/^mcp-/) });
  for (const wrong of [
    {},
    { title: "" },
    { title: "x".repeat(201) },
    { title: "x", kind: "urgent" },
    { title: "\u001b[0m" },
  ])
    expect(await call("notify", wrong).catch(() => ({ isError: true })), JSON.stringify(wrong)).toMatchObject({
      isError: true,
    });
  expect(await accepted()).toHaveLength(1);
});

test("an eleventh message within a minute is an error that says so, and is not sent", async () => {
  for (let count = 1; count <= 10; count += 1)
    expect(await call("notify", { title: `n ${count}` })).not.toHaveProperty("isError");
  const { isError, content } = await call("notify", { title: "n 11" });
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toMatch(/At most 10 notifications a minute\. Try again in \d+ s/);
  await home.until((lines) => lines.filter(({ status }) => status === "accepted").length === 10);
});

test("a switched-off or missing beckon is an error of the tool, not of the server", async () => {
  const off = await connect("auto", { BECKON_DISABLE: "1" });
  const result = await off.callTool({ name: "notify", arguments: { title: "x" } });
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result.content)).toContain("BECKON_DISABLE=1");
  await off.close();
  const missing = await connect("auto", { BECKON_HOME: join(home.paths.root, "none") });
  expect(await missing.callTool({ name: "notify", arguments: { title: "x" } })).toMatchObject({ isError: true });
  expect(await missing.callTool({ name: "list_waiting", arguments: {} })).toMatchObject({
    structuredContent: { waiting: [] },
  });
  await missing.close();
});

test("the server prints nothing of its own, survives garbage, and ends with its client", async () => {
  const server = spawn(process.execPath, [builtCli, "mcp"], { env: home.env });
  let output = "";
  server.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  server.stdin.write("not json\n");
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await expect.poll(() => output).toContain('"protocolVersion":"2025-06-18"');
  server.stdin.end();
  expect((await once(server, "close"))[0]).toBe(0);
  for (const line of output.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});
