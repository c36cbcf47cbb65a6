import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { keys } from "../../src/fake-service/access.ts";
import { dist, repository, run } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { startSandbox } from "../world/service/server.ts";

/** The tarball as a dependency: its types in the consumer's compiler, its code in plain Node. */

let consumer: string;
beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), "beckon-consumer-"));
  const modules = join(consumer, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", consumer];
  const tarball = execFileSync("npm", pack, { cwd: repository, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(consumer, tarball), "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "beckon"));
  const manifest = readFileSync(join(modules, "beckon", "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { readonly dependencies: object };
  for (const name of [...Object.keys(dependencies), join("@types", "node")]) {
    symlinkSync(join(repository, "node_modules", name), join(modules, name), "junction");
  }
  writeFileSync(join(consumer, "package.json"), '{ "type": "module" }');
  configure({ module: "nodenext" });
}, 60_000);
function configure(resolution: object): void {
  const compilerOptions = { target: "es2022", strict: true, types: ["node"], outDir: "out", ...resolution };
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts", "*.cts"] }));
}
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const program = `
import { PermissionError, ServiceClient, type CreditsByModelRow, type UserRow } from "beckon/service";
const [baseUrl = "", appUrl = "", apiKey = "", memberKey = ""] = process.argv.slice(2);
const client = new ServiceClient({ baseUrl, appUrl, apiKey });
const days = { startDate: "2026-06-14", endDate: "2026-06-14" };
const rows: UserRow[] = [];
for await (const row of client.analytics.users(days)) rows.push(row);
const credits: readonly CreditsByModelRow[] = (await client.analytics.tokens({ ...days, groupBy: "model" }).page()).items;
const member = new ServiceClient({ baseUrl, apiKey: memberKey });
const refused = await member.analytics.users(days).page().catch((error: unknown) => error);
const status: number | undefined = refused instanceof PermissionError ? refused.status : undefined;
console.log(JSON.stringify([rows.length, credits.map(({ group_key }) => group_key), status]));
`;

/** Runs Node in the consumer's folder. */
const runNode = (...args: readonly string[]) => run(process.execPath, args, "", { cwd: consumer });
const runModule = (script: string) => runNode("--input-type=module", "-e", script);
const compile = () => runNode(join(repository, "node_modules", "typescript", "bin", "tsc"), "-p", consumer);

test("a consumer compiles against the package's types and runs its code", async () => {
  const sandbox = await startSandbox();
  writeFileSync(join(consumer, "main.ts"), program);
  expect(await compile()).toMatchObject({ exitCode: 0, stdout: "" });
  const given = [sandbox.baseUrl, sandbox.appUrl, keys.owner, keys.member];
  const result = await runNode(join(consumer, "out", "main.js"), ...given);
  await sandbox.close();
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(result.stdout)).toEqual([1000, ["model-large", "model-medium", "model-small"], 403]);
}, 60_000);

const otherResolutions = [{ module: "node16" }, { module: "esnext", moduleResolution: "bundler" }];
test("its types resolve under node16 and in a bundler, too", async () => {
  writeFileSync(join(consumer, "main.ts"), program);
  for (const resolution of otherResolutions) {
    configure(resolution);
    expect(await compile()).toMatchObject({ exitCode: 0, stdout: "" });
  }
  configure({ module: "nodenext" });
}, 120_000);

const commonJsProgram = `
import service = require("beckon/service");
import type { UserRow } from "beckon/service";
const [baseUrl = "", apiKey = "", memberKey = ""] = process.argv.slice(2);
const days = { startDate: "2026-06-14", endDate: "2026-06-14" };
const usersOf = (key: string) => new service.ServiceClient({ baseUrl, apiKey: key }).analytics.users(days);
void (async () => {
const rows: UserRow[] = await usersOf(apiKey).all();
const refused = await usersOf(memberKey).all().catch((error: unknown) => error);
const status: number | undefined = refused instanceof service.PermissionError ? refused.status : undefined;
console.log(JSON.stringify([rows.length, status]));
})();
`;

const commonJs = test.each(["node20", "nodenext"]);
commonJs("a CommonJS file compiles under %s, and requires the client", { timeout: 60_000 }, async (module) => {
  const sandbox = await startSandbox();
  configure({ module });
  rmSync(join(consumer, "main.ts"), { force: true });
  writeFileSync(join(consumer, "old.cts"), commonJsProgram);
  const compiled = await compile();
  const given = [sandbox.baseUrl, keys.owner, keys.member];
  const result = await runNode(join(consumer, "out", "old.cjs"), ...given);
  await sandbox.close();
  rmSync(join(consumer, "old.cts"));
  configure({ module: "nodenext" });
  expect(compiled).toMatchObject({ exitCode: 0, stdout: "" });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(result.stdout)).toEqual([1000, 403]);
});

test.each([
  ["beckon/service", "ServiceClient"],
  ["beckon/service/fetch", "ServiceClient"],
  ["beckon/service/testing", "fakeService"],
])("require() and import get the same module from %s", async (entry, name) => {
  const script = `const { ${name} } = require("${entry}");
import("${entry}").then((imported) => console.log(typeof ${name}, imported.${name} === ${name}));`;
  expect(await runNode("-e", script)).toMatchObject({ exitCode: 0, stderr: "", stdout: "function true\n" });
});

test("both clients have the same error classes in a program of modules", async () => {
  const script = `
import { ServiceError } from "beckon/service";
import { PermissionError } from "beckon/service/fetch";
console.log(new PermissionError("auth", "refused") instanceof ServiceError);`;
  expect(await runModule(script)).toMatchObject({ exitCode: 0, stdout: "true\n" });
});

const webProgram = `
import { PermissionError, ServiceClient, type UserRow } from "beckon/service/fetch";
import { fakeService, type FakeRequest } from "beckon/service/testing";
const service = await fakeService({ users: 3, days: 1 });
const client = new ServiceClient({ baseUrl: service.url, apiKey: service.keys.owner, fetch: service.fetch });
const days = { startDate: "2026-06-14", endDate: new Date(0) };
const rows: Promise<UserRow[]> = client.analytics.users(days).all();
const requests: readonly FakeRequest[] = service.requests;
const status = (error: unknown): number | undefined => (error instanceof PermissionError ? error.status : undefined);
export { requests, rows, status };
`;

test("the types of the client for fetch and of the fake resolve everywhere, with a browser's types", async () => {
  writeFileSync(join(consumer, "main.ts"), webProgram);
  for (const resolution of [...otherResolutions, { module: "nodenext" }]) {
    configure({ ...resolution, types: [], lib: ["es2023", "dom"], skipLibCheck: false });
    expect(await compile()).toMatchObject({ exitCode: 0, stdout: "" });
  }
  configure({ module: "nodenext" });
}, 360_000);

test("the test in docs/service-client.md passes", async () => {
  const page = readFileSync(join(repository, "docs", "service-client.md"), "utf8");
  const [sample = ""] = /(?<=```js\n)import assert[^`]*beckon\/service\/testing[\s\S]*?(?=```)/.exec(page) ?? [];
  writeFileSync(join(consumer, "credits.test.mjs"), sample);
  const result = await runNode("--test", "--test-reporter=tap", "credits.test.mjs");
  expect(result.stdout).toContain("# pass 1");
  expect(result.exitCode).toBe(0);
});

test("a program ends although it has not closed its fake service", async () => {
  const script = `
import { fakeService } from "beckon/service/testing";
const { apiKey, url } = await fakeService();
const reply = await fetch(url + "/api/v0/organization/users", { headers: { authorization: "Bearer " + apiKey } });
console.log((await reply.json()).users.length);`;
  expect(await runModule(script)).toMatchObject({ exitCode: 0, stdout: "20\n" });
});

test("the package has the description of the API in OpenAPI", async () => {
  const script = 'console.log(require("beckon/openapi.json").openapi)';
  expect(await runNode("-e", script)).toMatchObject({ exitCode: 0, stdout: "3.1.0\n" });
});

test("the compiler finds a consumer's mistakes", async () => {
  const mistakes = [
    "client.analytics.users({ startDate: 1, endDate: 2 });",
    'client.analytics.tools({ startDate: "2026-06-14", endDate: "2026-06-14", groupBy: "model" });',
    "client.sessions.create({});",
    'new ServiceClient({ baseUrl: "https://api.example.com" });',
  ];
  const head = 'import { ServiceClient } from "beckon/service";\ndeclare const client: ServiceClient;\n';
  writeFileSync(join(consumer, "main.ts"), head + mistakes.join("\n"));
  const { exitCode, stdout } = await compile();
  expect(exitCode).not.toBe(0);
  const lines = new Set([...stdout.matchAll(/main\.ts[(:](\d+)/g)].map(([, line]) => Number(line)));
  expect([...lines].sort()).toEqual(mistakes.map((_, index) => index + 3));
}, 60_000);

test("the sample of docs/service-client.md compiles", async () => {
  const page = readFileSync(join(repository, "docs", "service-client.md"), "utf8");
  const [sample = ""] = /(?<=```ts\n)import \{[^`]*beckon\/service[\s\S]*?(?=```)/.exec(page) ?? [];
  expect(sample).toContain("new ServiceClient");
  writeFileSync(join(consumer, "main.ts"), `${sample}\nvoid items;`);
  expect(await compile()).toMatchObject({ exitCode: 0, stdout: "" });
}, 60_000);

let receiver: Receiver | undefined;
afterEach(() => receiver?.close());

const key = "key-of-a-test";

/**
 * Runs a program that makes one call. Returns its standard error.
 * @param options source text of more options
 */
async function readLog(variables: NodeJS.ProcessEnv, options = ""): Promise<string> {
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

test("BECKON_LOG shows a program's requests and replies on standard error, without the key", async () => {
  const log = await readLog({ BECKON_LOG: "1" });
  expect(log).toMatch(/^> GET http:\/\/127\.0\.0\.1:\d+\/api\/v0\/organization\/users\n< 200 in \d+ ms, request r1\n$/);
  expect(log).not.toContain(key);
});

test("without BECKON_LOG nothing is written, and a program's own hooks are used", async () => {
  expect(await readLog({ BECKON_LOG: "" })).toBe("");
  await receiver?.close();
  const own = 'onRequest: () => console.error("asked"), onResponse: () => console.error("answered")';
  expect(await readLog({ BECKON_LOG: "1" }, own)).toBe("asked\nanswered\n");
});

/** Program that makes one call with the longest deadline, and then has nothing else to do. */
const script = (origin: string) => `
import { ServiceClient } from ${JSON.stringify(join(dist, "service.js"))};
const client = new ServiceClient({ baseUrl: "${origin}", apiKey: "key-of-a-test", timeoutMs: 2 ** 31 - 1 });
console.log(await client.users.list().page().then(() => "done", ({ name }) => name));
`;

const succeeded = { status: 200, body: '{"users":[{"id":"u1"}],"pagination":{"hasMore":false,"nextCursor":null}}' };
test.each([
  ["that succeeded", succeeded],
  ["that failed", { status: 401, body: "{}" }],
])("a script ends after a call %s, not at its deadline", async (_, answer) => {
  receiver = await startReceiver([{ ...answer, headers: { "content-type": "application/json" } }]);
  const ended = await run(process.execPath, ["--input-type=module", "-e", script(new URL(receiver.url).origin)], "");
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  expect(ended.stdout).not.toBe("");
});
