import { join } from "node:path";
import { expect, test } from "vitest";
import { DeliveryError } from "../../../src/core/errors.ts";
import { slack } from "../../../src/notifiers/slack.ts";
import { startReceiver, useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

test("each notifier gets a message, and result, time and cure are shown for each", async () => {
  const [good, bad] = [await startReceiver(200), await startReceiver(401)];
  home.config({
    notifiers: {
      good: { type: "webhook", url: good.url },
      bad: { type: "webhook", url: `${bad.url}?key=canary-7Xw`, headers: { authorization: "canary-7Xw" } },
      unset: { type: "slack", url: "${env:BECKON_TEST_UNSET}" },
      broken: { type: "slack", url: "canary-7Xw" },
    },
  });
  const { exitCode, stdout, stderr } = await home.run(["test", "good", "bad", "unset", "broken"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  expect(stdout).toMatch(/^good {4}sent {5}\d+ ms$/m);
  expect(stdout).toMatch(
    /^bad {5}failed {3}\d+ ms, auth: http:\/\/127\.0\.0\.1:\d+ answered 401\n {2}Check `url`, `secret` and `headers`/m,
  );
  expect(stdout).toMatch(
    /^unset {3}failed .*\$\{env:BECKON_TEST_UNSET\} is not set\n {2}Set it where your agent starts/m,
  );
  expect(stdout).toMatch(
    /^broken {2}failed {3}not usable: notifiers\.broken\.url \(line 1\): must be an http\(s\) URL$/m,
  );
  expect(stdout).not.toContain("canary");
  const message = JSON.parse(good.bodies[0] ?? "");
  expect(message).toMatchObject({ type: "agent.notification", data: { kind: "needs-you", agent: "beckon" } });
  expect(message.data.body).toContain("Sample: ");
});

test("a failure that quotes a secret is shown without it", async () => {
  home.config({ notifiers: { team: { type: "slack", url: "https://example.org/canary-7Xw" } } });
  const { send } = slack;
  slack.send = async ({ settings: { url } }) => {
    throw new DeliveryError("rejected", `no channel at ${url}`, { hint: `Look at ${url}.` });
  };
  const { stdout } = await home.run(["test", "team"]);
  slack.send = send;
  expect(stdout).toMatch(/^team {2}failed {3}\d+ ms, rejected: no channel at \[secret\]\n {2}Look at \[secret\]\.\n$/);
});

test("only the notifiers named are tested, each once; exit code 0 when all work", async () => {
  const server = await startReceiver(200);
  const hook = { type: "webhook", url: server.url };
  home.config({ notifiers: { a: hook, b: hook, c: hook } });
  expect((await home.run(["test", "c", "a", "c"])).exitCode).toBe(0);
  expect(server.bodies).toHaveLength(2);
});

test("without a name, only the notifiers that reach nobody but the user are tested", async () => {
  const [own, others] = [await startReceiver(200), await startReceiver(200)];
  const hook = { type: "webhook", url: others.url };
  home.config({
    notifiers: { mine: { ...hook, url: own.url, for: "person" }, hook, team: { ...hook, type: "slack" } },
  });
  const { exitCode, stdout } = await home.run(["test"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^mine {2}sent .*\nNot tested, because more than you .*: beckon test hook team\n$/);
  expect([own.bodies.length, others.bodies.length]).toEqual([1, 0]);
});

test("the user's own templates are used", async () => {
  const server = await startReceiver(200);
  const templates = { Notification: { title: "psst {kind}" } };
  home.config({ notifiers: { a: { type: "webhook", url: server.url } }, templates });
  await home.run(["test", "a"]);
  expect(JSON.parse(server.bodies[0] ?? "").data.title).toBe("psst needs-you");
});

test("an unknown name is wrong usage, and nothing is sent", async () => {
  const server = await startReceiver(200);
  home.config({ notifiers: { team: { type: "webhook", url: server.url } } });
  const stderr = "beckon: there is no notifier taem\n  Did you mean `team`?\n";
  expect(await home.run(["test", "team", "taem"])).toEqual({ exitCode: 2, stdout: "", stderr });
  expect(server.bodies).toEqual([]);
});

test("an empty list of notifiers is reported", async () => {
  home.config({ notifiers: {} });
  const stdout = expect.stringContaining("No notifiers are configured");
  expect(await home.run(["test"])).toMatchObject({ exitCode: 1, stdout });
});

test("a notifier that hangs does not delay the others, and is shown last", async () => {
  const [fast, slow] = [await startReceiver(200), await startReceiver("never")];
  home.config({ notifiers: { slow: { type: "webhook", url: slow.url }, fast: { type: "webhook", url: fast.url } } });
  const lines: string[] = [];
  const done = home.run(["test", "slow", "fast"], { print: (text) => void lines.push(text) });
  await expect.poll(() => lines[0]).toMatch(/^fast {2}sent/);
  await slow.close();
  expect((await done).exitCode).toBe(1);
  expect(lines[1]).toMatch(/^slow {2}failed {3}\d+ ms, unavailable/);
});

test("--json prints an object for each notifier", async () => {
  const [good, bad] = [await startReceiver(200), await startReceiver(401)];
  home.config({ notifiers: { good: { type: "webhook", url: good.url }, bad: { type: "webhook", url: bad.url } } });
  const { exitCode, stdout } = await home.run(["test", "good", "bad", "--json"]);
  expect(exitCode).toBe(1);
  expect(readOutput("test", stdout)).toMatchObject([
    { name: "good", verdict: "sent", tookMs: expect.any(Number) },
    { name: "bad", verdict: "failed", reason: expect.stringContaining("answered 401"), hint: expect.any(String) },
  ]);
});

const python = `#!/bin/sh
echo 'Traceback (most recent call last):' >&2
echo '  File "lamp.py", line 7, in <module>' >&2
echo 'KeyError: colour of password=canary-7Xw-hunter2' >&2
exit 1
`;

test("a program's standard error and a module's stack are shown and journalled, masked", async () => {
  const program = home.write(join(home.home, "lamp"), python, 0o700);
  const source = "export const notifier = {\n  async send() { return undefined.colour; },\n};\n";
  const path = home.write(join(home.home, "lamp.mjs"), source);
  const notifiers = { program: { type: "command", run: [program] }, module: { type: "module", path } };
  home.config({ notifiers, delivery: { linger: "0s" } });
  const { exitCode, stdout } = await home.run(["test", "program", "module"]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /rejected: lamp exited with code 1\n {2}\| Traceback.*\n.*line 7.*\n {2}\| KeyError: colour of password=\[secret\]\n/,
  );
  expect(stdout).toMatch(/bug: the module threw TypeError\n {2}\| TypeError: .*\n {2}\| .*lamp\.mjs:2:\d+\)?\n/);
  expect(stdout).toContain("Correct the module.");
  expect(stdout).not.toMatch(/report it|canary/);
  home.fresh("event-0001");
  await home.run(["flush"]);
  const journal = (await home.run(["log", "--json", "--failed"])).stdout;
  expect(journal).toContain("it said: Traceback (most recent call last): ");
  expect(journal).toMatch(/it said: TypeError: .*lamp\.mjs:2/);
  expect(journal).not.toContain("canary");
});

test("a program without its x bit is not called missing, and a TypeScript module names its Node", async () => {
  const program = home.write(join(home.home, "lamp"), python, 0o600);
  const path = home.write(join(home.home, "lamp.ts"), "export const notifier = { async send(_: object) {} };\n");
  home.config({ notifiers: { program: { type: "command", run: [program] }, module: { type: "module", path } } });
  const { stdout } = await home.run(["test", "program", "module"]);
  expect(stdout).toMatch(/unsupported: lamp is not executable\n {2}If it is a program, run: chmod \+x \/.*lamp\n/);
  const mine = { for: "person" } as const;
  const lamp = { ...mine, type: "file", path: "~/lamp.log" };
  home.config({ notifiers: { program: { ...mine, type: "command", run: [program] }, lamp } });
  const brief = /^(?!.*chmod).*missing: beckon test program\. If program is not .*: beckon config remove program/s;
  expect((await home.run(["test"])).stdout).toMatch(brief);
  const runsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);
  expect(stdout).toMatch(
    runsTypes ? /^module +sent/m : /runs no TypeScript\n {2}Compile it to \.mjs, or .* 22\.18 or newer/,
  );
});
