import { afterEach, beforeEach, expect, test } from "vitest";
import type { CrashPoint } from "../../src/core/crash-point.ts";
import { findProcess } from "../../src/core/process-table.ts";
import { type NtfyServer, startNtfyServer } from "../notifiers/ntfy-server.ts";
import { createHome, type Home } from "../world/home.ts";

let home: Home;
let server: NtfyServer;
beforeEach(async () => {
  home = createHome();
  server = await startNtfyServer();
  home.writeConfig({
    notifiers: { phone: { type: "ntfy", ...server.settings, detail: "full" } },
    lookups: [],
    attention: { wait: "300ms" },
    delivery: { linger: "200ms", retryDelays: ["200ms"] },
  });
});
afterEach(async () => {
  await home.remove();
  await server.close();
});

/** An event of the session `shop`, by a hook whose worker, if it starts one, dies at a step. */
const fire = (event: string, payload: object, crashAt?: CrashPoint) =>
  home.launch(
    [event, "--agent", "claude"],
    JSON.stringify({ hook_event_name: event, session_id: "shop", cwd: "/home/dev/shop", ...payload }),
    { env: crashAt === undefined ? {} : { BECKON_CRASH_AT: crashAt } },
  );
const ask = (crashAt?: CrashPoint) =>
  fire("PermissionRequest", { tool_name: "Bash", tool_input: { command: "npm test" } }, crashAt);
const answer = (crashAt?: CrashPoint) => fire("UserPromptSubmit", { prompt: "yes" }, crashAt);
/** Starts a worker where none lives, and tells nobody anything. */
const wake = () =>
  home.launch(["SubagentStop", "--agent", "claude"], '{"hook_event_name":"SubagentStop","session_id":"x"}');

/** Waits until the worker that the last hook started is dead. */
async function workerKilled(): Promise<void> {
  await home.until(() => findProcess(home.workerPid() ?? 0) === undefined);
}

const sentLines = () => home.journal().filter(({ status }) => status === "sent");
const isStanding = async () => (await server.standing()).length > 0;

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 30_000;
  for (let looks = 0; !(await isSo()); looks += 1) {
    if (Date.now() > deadlineMs) throw new Error(`${what}: ${JSON.stringify(home.journal())}`);
    if (looks % 20 === 19) await wake();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const whileTelling = [
  "claimed",
  "parsed",
  "alert:noted",
  "settle:written",
  "settle:visible",
  "alert:told",
  "sent",
] as const;
test.each(whileTelling)("a request whose worker is killed at step %s rings, and stays not for ever", async (step) => {
  await ask(step);
  await workerKilled();
  await until("the request is told", async () => sentLines().length > 0);
  expect(await isStanding()).toBe(true);
  await answer();
  await until("the request is taken back", async () => !(await isStanding()));
  expect(sentLines()).toHaveLength(1);
});

const whileTakingBack = ["claimed", "parsed", "alert:noted", "alert:changed", "settled"] as const;
test.each(whileTakingBack)(
  "an answer whose worker is killed at step %s takes the request back all the same",
  async (step) => {
    await ask();
    // Killed between the two, a worker leaves a message that nobody knows the receipt of.
    await until("the request is told", async () => sentLines().length > 0);
    await home.until(() => home.spooled().length === 0);
    await home.killWorker();
    await answer(step);
    await workerKilled();
    await until("the request is taken back", async () => home.journal().some(({ status }) => status === "withdrawn"));
    expect(await isStanding()).toBe(false);
    expect(home.journal().filter(({ status }) => status === "resolved")).toHaveLength(1);
    expect(sentLines()).toHaveLength(1);
  },
);
