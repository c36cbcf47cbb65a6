import { type TestContext, test } from "vitest";
import type { CrashPoint } from "../../src/files/crash-point.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { startNtfyServer } from "../notifiers/ntfy-server.ts";
import { createHome, sleep } from "../world/home.ts";

/** Opens a temporary home whose worker notifies a phone. */
async function openHome({ onTestFinished }: TestContext) {
  const [home, server] = [createHome(), await startNtfyServer()];
  onTestFinished(async () => {
    await home.remove();
    await server.close();
  });
  home.writeConfig({
    notifiers: { phone: { type: "ntfy", ...server.settings, detail: "full" } },
    lookups: [],
    attention: { wait: "3s" }, // long enough for a busy machine, so that the event is held before it is sent
    delivery: { linger: "200ms", retryDelays: ["200ms"] },
  });

  /** Fires an event of session `shop`; a worker that its hook starts dies at the given step. */
  const fire = (event: string, payload: object, crashAt?: CrashPoint) =>
    home.launch(
      [event, "--agent", "claude"],
      JSON.stringify({ hook_event_name: event, session_id: "shop", cwd: "/home/dev/shop", ...payload }),
      { env: crashAt === undefined ? {} : { BECKON_CRASH_AT: crashAt } },
    );
  /** Starts a worker if none runs, without notifying anybody. */
  const wake = () =>
    home.launch(["SubagentStop", "--agent", "claude"], '{"hook_event_name":"SubagentStop","session_id":"x"}');
  return {
    home,
    ask: (crashAt?: CrashPoint) =>
      fire("PermissionRequest", { tool_name: "Bash", tool_input: { command: "npm test" } }, crashAt),
    answer: (crashAt?: CrashPoint) => fire("UserPromptSubmit", { prompt: "yes" }, crashAt),
    /** Waits until the worker started by the last hook is dead. */
    workerKilled: () => home.until(() => findProcess(home.workerPid() ?? 0) === undefined),
    sentLines: () => home.journal().filter(({ status }) => status === "sent"),
    isActive: async () => (await server.listActive()).length > 0,
    /** Waits until a condition holds. Wakes a worker at once, and then every second. */
    async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
      for (let looks = 0; !(await isSo()); looks += 1) {
        if (looks === 600) throw new Error(`${what}: ${JSON.stringify(home.journal())}`);
        if (looks % 20 === 0) await wake();
        await sleep(50);
      }
    },
  };
}

const sendingSteps = [
  "claimed",
  "parsed",
  "alert:noted",
  "settle:written",
  "settle:visible",
  "alert:recorded",
  "sent",
] as const;
test.concurrent.for(sendingSteps)(
  "a request whose worker is killed at step %s rings, and goes once it is answered",
  async (step, context) => {
    const { expect } = context;
    const { ask, answer, workerKilled, sentLines, isActive, until } = await openHome(context);
    await ask(step);
    await workerKilled();
    await until("the request is sent", () => sentLines().length > 0);
    expect(await isActive()).toBe(true);
    await answer();
    await until("the request is withdrawn", async () => !(await isActive()));
    expect(sentLines()).toHaveLength(1);
  },
);

const withdrawingSteps = ["claimed", "parsed", "alert:noted", "alert:changed", "settled"] as const;
test.concurrent.for(withdrawingSteps)(
  "an answer whose worker is killed at step %s still withdraws the request",
  async (step, context) => {
    const { expect } = context;
    const { home, ask, answer, workerKilled, sentLines, isActive, until } = await openHome(context);
    await ask();
    // A worker killed between the two leaves a message whose receipt is unknown.
    await until("the request is sent", () => sentLines().length > 0);
    await home.until(() => home.spooled().length === 0);
    await home.killWorker();
    await answer(step);
    await workerKilled();
    await until("the request is withdrawn", () => home.journal().some(({ status }) => status === "withdrawn"));
    expect(await isActive()).toBe(false);
    expect(home.journal().filter(({ status }) => status === "resolved")).toHaveLength(1);
    expect(sentLines()).toHaveLength(1);
  },
);
