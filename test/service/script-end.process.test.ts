import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { dist, run } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let receiver: Receiver | undefined;
afterEach(() => receiver?.close());

/** Makes one call with the longest deadline there is, and has nothing else to do. */
const script = (origin: string) => `
import { ServiceClient } from ${JSON.stringify(join(dist, "service.js"))};
const client = new ServiceClient({ baseUrl: "${origin}", apiKey: "key-of-a-test", timeoutMs: 2 ** 31 - 1 });
console.log(await client.users.list().page().then(() => "done", ({ name }) => name));
`;

test.each([
  ["that succeeded", { status: 200, body: '{"users":[{"id":"u1"}],"pagination":{"hasMore":false,"nextCursor":null}}' }],
  ["that failed", { status: 401, body: "{}" }],
])("a script ends after a call %s, not at its deadline", async (_, answer) => {
  receiver = await startReceiver([{ ...answer, headers: { "content-type": "application/json" } }]);
  const ended = await run(process.execPath, ["--input-type=module", "-e", script(new URL(receiver.url).origin)], "");
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  expect(ended.stdout).not.toBe("");
});
