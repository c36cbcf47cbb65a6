import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { dist, run } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let receiver: Receiver | undefined;
afterEach(() => receiver?.close());

const key = "key-of-a-test";

/** A program that makes one call, and what it wrote to standard error. @param options source text of more options */
async function logOf(variables: NodeJS.ProcessEnv, options = ""): Promise<string> {
  const body = '{"users":[],"pagination":{"hasMore":false}}';
  receiver = await startReceiver([{ status: 200, body, headers: { "x-request-id": "r1" } }]);
  const script = `
import { ServiceClient } from ${JSON.stringify(join(dist, "service.js"))};
const client = new ServiceClient({ baseUrl: "${new URL(receiver.url).origin}", apiKey: "${key}", ${options} });
await client.users.list().page();`;
  const env = { ...process.env, ...variables };
  const { exitCode, stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", script], "", { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
  return stderr;
}

test("BECKON_LOG shows a program's requests and replies on standard error, a line each, without the key", async () => {
  const log = await logOf({ BECKON_LOG: "1" });
  expect(log).toMatch(/^> GET http:\/\/127\.0\.0\.1:\d+\/api\/v0\/organization\/users\n< 200 in \d+ ms, request r1\n$/);
  expect(log).not.toContain(key);
});

test("without it nothing is written, and a program's own hooks come in its place", async () => {
  expect(await logOf({ BECKON_LOG: "" })).toBe("");
  await receiver?.close();
  const own = 'onRequest: () => console.error("asked"), onResponse: () => console.error("answered")';
  expect(await logOf({ BECKON_LOG: "1" }, own)).toBe("asked\nanswered\n");
});
