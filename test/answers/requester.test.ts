import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { explainUntrusted } from "../../src/answers/requester.ts";

let program: ChildProcess | undefined;
afterEach(() => program?.kill("SIGKILL"));

/** Starts a program in a session of its own, and explains why it may not answer. */
async function explain(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  program = spawn(process.execPath, ["-e", "console.log(); setInterval(() => {}, 1e9)"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  await once(program.stdout as NodeJS.ReadableStream, "data");
  return explainUntrusted(program.pid ?? 0, []);
}

test("a program with an ordinary environment may answer", async () => {
  expect(await explain({ HOME: "/home/me" })).toBeUndefined();
});

test.each([
  ["an agent's variable", { HOME: "/home/me", CLAUDECODE: "1" }],
  ["an empty environment, as while it starts another program", {}],
])("a program with %s may not answer", async (_, env) => {
  expect(await explain(env)).toBe("its environment has an agent's variable, or cannot be read");
});
