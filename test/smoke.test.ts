import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCliHome } from "./world/cli-home.ts";
import { freshHome } from "./world/fresh-home.ts";
import { type Home, repository, run } from "./world/home.ts";
import { openReceiver } from "./world/receiver.ts";

/**
 * The only tests of `npm test` that start hooks, workers and command lines; the rest are in `npm run test:processes`.
 */

const sample = readFileSync(join(repository, "test/fixtures/payloads/claude/Notification-permission.json"));

/** Creates an installation whose only notifier is a webhook on loopback. */
async function homeWithWebhook() {
  const receiver = await openReceiver();
  const notifiers = { hook: { type: "webhook", url: receiver.url } };
  return { home: freshHome({ notifiers, delivery: { linger: "0s" }, lookups: [] }, "beckon-smoke"), receiver };
}

async function fire(home: Home, input: string | Buffer = sample, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const result = await home.launch(["Notification", "--agent", "claude"], input, { env });
  expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
}

test("a hook hands its event to a worker, which posts it to a webhook and journals it", async () => {
  const { home, receiver } = await homeWithWebhook();
  await fire(home);
  const journal = await home.until((lines) => lines.some(({ status }) => status === "sent"));
  expect(journal.map(({ status }) => status)).toEqual(["accepted", "sent"]);
  expect(receiver.accepted.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: "agent.notification", data: { agent: "claude", kind: "needs-you" } },
  ]);
  await home.until(() => home.spooled().length === 0);
});

test("a compiled entrypoint does the same", async () => {
  const { home, receiver } = await homeWithWebhook();
  const result = await home.enter("notification", ["--agent", "claude"], sample);
  expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  await home.until((lines) => lines.some(({ status }) => status === "sent"));
  expect(receiver.accepted).toHaveLength(1);
});

test("an event whose worker is killed is delivered by the next one", async () => {
  const { home, receiver } = await homeWithWebhook();
  await fire(home, sample, { BECKON_CRASH_AT: "claimed" }); // its worker kills itself with SIGKILL there
  await expect.poll(() => home.spooled()).toMatchObject([expect.stringMatching(/^cur\//)]);
  expect(receiver.received).toEqual([]);
  await fire(home, JSON.stringify({ ...JSON.parse(String(sample)), session_id: "another" }));
  await home.until((lines) => lines.filter(({ status }) => status === "sent").length === 2);
  expect(receiver.accepted).toHaveLength(2);
});

test("install adds hooks to a settings file, and uninstall restores its bytes", async () => {
  const home = createCliHome();
  onTestFinished(home.remove);
  const before = '{\n  // mine\n  "model": "opus",\n}\n';
  mkdirSync(join(home.home, ".claude"));
  const settings = home.write(join(home.home, ".claude", "settings.json"), before);
  const installed = await home.start(["install", "--agent", "claude", "--yes"]);
  expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readFileSync(settings, "utf8")).toMatch(/\/hook'? Stop --agent claude \|\| :/);
  expect(await home.start(["uninstall", "--agent", "claude", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readFileSync(settings, "utf8")).toBe(before);
});

test("a CommonJS program requires the library", async () => {
  const script = 'console.log(require("beckon/service").ServiceClient.name)';
  const result = await run(process.execPath, ["-e", script], "", { cwd: repository });
  expect(result).toMatchObject({ exitCode: 0, stdout: "ServiceClient\n", stderr: "" });
});
