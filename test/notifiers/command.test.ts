import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command } from "../../src/notifiers/command.ts";
import { webhookBody } from "../../src/notifiers/shared/webhook-body-schema.ts";
import { localCall } from "../world/local-call.ts";
import { sampleMessage } from "../world/network-call.ts";
import { recordArgs, useStubPrograms } from "../world/stub-programs.ts";

const stubs = useStubPrograms();

const send = (run: string[], timeout?: string, message = {}) =>
  command.send(localCall(command.settings.parse({ run, timeout }), stubs.env, message));
const written = (suffix: string) => readFileSync(join(stubs.folder, `mine.${suffix}`), "utf8");

test("the program gets its own arguments, and the event as one JSON object on stdin", async () => {
  const path = stubs.add("mine", `${recordArgs}; /bin/cat > "$0.input"`);
  await send([path, "--from", "beckon $HOME {title}"]);
  expect(stubs.readArgs("mine")).toEqual(["--from", "beckon $HOME {title}"]);
  expect(written("input")).toBe(`${JSON.stringify(webhookBody(sampleMessage))}\n`);
});

test("four variables identify the event without its text", async () => {
  stubs.add("mine", '/usr/bin/env > "$0.env"');
  await send(["mine"], undefined, {
    title: "canary",
    body: "canary",
    message: "canary",
    cwd: "/canary",
    project: "canary",
  });
  const variables = written("env")
    .split("\n")
    .filter((line) => line.startsWith("BECKON_"))
    .sort();
  expect(variables).toEqual([
    "BECKON_AGENT=droid",
    "BECKON_EVENT=Notification",
    "BECKON_ID=evt_01",
    "BECKON_KIND=needs-you",
  ]);
  expect(written("env")).not.toContain("canary");
});

test.each([
  ["75 (try again later)", "exit 75", "unavailable"],
  ["1", "exit 1", "rejected"],
  ["2", "exit 2", "rejected"],
  ["137 (killed)", "kill -9 $$", "rejected"],
])("exit code %s is %s", async (code, script, reason) => {
  stubs.add("mine", script);
  const message = `mine exited with code ${Number.parseInt(code, 10)}`;
  await expect(send(["mine"])).rejects.toMatchObject({ reason, message });
});

test("the program is stopped after the configured time", async () => {
  stubs.add("mine", "/bin/sleep 60");
  await expect(send(["mine"], "300ms")).rejects.toMatchObject({ reason: "timeout" });
});

test.each([
  ["no program", { run: [] }],
  ["an empty name", { run: [""] }],
  ["a relative path", { run: ["./mine"] }],
  ["a shell line", { run: "mine --from beckon" }],
  ["a zero time limit", { run: ["mine"], timeout: "0s" }],
  ["more than a minute", { run: ["mine"], timeout: "61s" }],
])("%s is not a valid setting", (_, settings) => {
  expect(command.settings.safeParse(settings).success).toBe(false);
});

test("the program has ten seconds by default", () => {
  expect(command.settings.parse({ run: ["mine"] }).timeout).toBe(10_000);
});

test("`check` finds a missing program", async () => {
  const path = stubs.add("mine", "exit 0");
  const check = (run: string) => {
    const { message: _, ...call } = localCall(command.settings.parse({ run: [run] }), stubs.env, {});
    return command.verification?.check?.(call);
  };
  expect(await check("mine")).toBeUndefined();
  expect(await check(path)).toBeUndefined();
  expect(await check("yours")).toMatchObject({ message: "the program yours does not exist" });
  expect(await check(`${path}-gone`)).toMatchObject({ message: `${path}-gone is missing or not executable` });
});
