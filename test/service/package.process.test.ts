import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "../../src/fake-service/access.ts";
import { dist, repository, run } from "../world/home.ts";
import { openReceiver, type Receiver } from "../world/receiver.ts";
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
  const { peerDependencies } = JSON.parse(manifest) as { readonly peerDependencies: object };
  for (const name of [...Object.keys(peerDependencies), join("@types", "node")]) {
    symlinkSync(join(repository, "node_modules", name), join(modules, name), "junction");
  }
  writeFileSync(join(consumer, "package.json"), '{ "type": "module" }');
}, 60_000);
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
/** Compiles programs in the consumer's folder to its folder `out`. */
function compile(programs: Readonly<Record<string, string>>, options: object) {
  for (const [file, text] of Object.entries(programs)) writeFileSync(join(consumer, file), text);
  const compilerOptions = { target: "es2022", strict: true, types: ["node"], outDir: "out", ...options };
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(programs) }));
  return runNode(join(repository, "node_modules", "typescript", "bin", "tsc"), "-p", consumer);
}
/** Returns a sample of the client's page, which starts with this line. */
function readSample(firstLine: RegExp): string {
  const page = readFileSync(join(repository, "docs", "service-client.md"), "utf8");
  return page.split(/^```.*\n/m).find((part) => firstLine.test(part)) ?? "";
}

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

const importing = [{ module: "node16" }, { module: "esnext", moduleResolution: "bundler" }];
/** Resolutions in which a CommonJS file may require() an ES module. */
const requiring = [{ module: "node20" }, { module: "nodenext" }];

test("programs and the page's sample compile against the package's types, and run", async () => {
  const sample = readSample(/^import \{[^}]*\} from "beckon\/service"/);
  expect(sample).toContain("new ServiceClient");
  const modules = { "main.ts": program, "sample.ts": `${sample}\nvoid items;` };
  const compiled = { exitCode: 0, stdout: "" };
  for (const options of importing) expect(await compile(modules, options)).toMatchObject(compiled);
  for (const options of requiring)
    expect(await compile({ ...modules, "old.cts": commonJsProgram }, options)).toMatchObject(compiled);
  const { baseUrl, appUrl, close } = await startSandbox();
  const results = [
    await runNode(join(consumer, "out", "main.js"), baseUrl, appUrl, keys.owner, keys.member),
    await runNode(join(consumer, "out", "old.cjs"), baseUrl, keys.owner, keys.member),
  ];
  await close();
  for (const result of results) expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  const models = ["model-large", "model-medium", "model-small"];
  expect(results.map(({ stdout }) => JSON.parse(stdout))).toEqual([
    [1000, models, 403],
    [1000, 403],
  ]);
}, 240_000);

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
  for (const resolution of [...importing, ...requiring]) {
    const options = { ...resolution, types: [], lib: ["es2023", "dom"], skipLibCheck: false };
    expect(await compile({ "web.ts": webProgram }, options)).toMatchObject({ exitCode: 0, stdout: "" });
  }
}, 360_000);

test("the types for notifier modules resolve without beckon's packages, with a browser's types", async () => {
  const notifier = `
import { DeliveryError, type NotifierCall } from "beckon";
export async function send({ ports, view }: NotifierCall<{ url: string }>): Promise<void> {
  const limit: number | undefined = view.event.limit?.windowMs;
  throw new DeliveryError("rejected", String(limit ?? ports.clock.now()));
}`;
  const zod = join(consumer, "node_modules", "zod");
  renameSync(zod, `${zod}-away`);
  const options = { module: "nodenext", types: [], lib: ["es2023", "dom"], skipLibCheck: false };
  const compiled = await compile({ "notifier.ts": notifier }, options).finally(() => renameSync(`${zod}-away`, zod));
  expect(compiled).toMatchObject({ exitCode: 0, stdout: "" });
}, 60_000);

test("the test in docs/service-client.md passes", async () => {
  writeFileSync(join(consumer, "credits.test.mjs"), readSample(/^import assert/));
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
  const wrong = head + mistakes.join("\n");
  const { exitCode, stdout } = await compile({ "wrong.ts": wrong }, { module: "nodenext" });
  expect(exitCode).not.toBe(0);
  const lines = new Set([...stdout.matchAll(/wrong\.ts[(:](\d+)/g)].map(([, line]) => Number(line)));
  expect([...lines].sort()).toEqual(mistakes.map((_, index) => index + 3));
}, 60_000);

let receiver: Receiver | undefined;

const key = "key-of-a-test";

/**
 * Runs a program that makes one call. Returns its standard error.
 * @param options source text of more options
 */
async function readLog(variables: NodeJS.ProcessEnv, options = ""): Promise<string> {
  const body = '{"users":[],"pagination":{"hasMore":false}}';
  receiver = await openReceiver([{ status: 200, body, headers: { "x-request-id": "r1" } }]);
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
  receiver = await openReceiver([{ ...answer, headers: { "content-type": "application/json" } }]);
  const ended = await run(process.execPath, ["--input-type=module", "-e", script(new URL(receiver.url).origin)], "");
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  expect(ended.stdout).not.toBe("");
});
