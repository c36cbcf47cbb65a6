import { expect, onTestFinished, test } from "vitest";
import type { ReactionWorld } from "../notifiers/contract/describe-reactions.ts";
import { type NtfyServer, startNtfyServer } from "../notifiers/ntfy-server.ts";
import { startPushoverServer } from "../notifiers/pushover-server.ts";
import { startTelegramServer } from "../notifiers/telegram-server.ts";
import { WorkerWorld } from "../world/worker-world.ts";

type Receiver = ReactionWorld & Partial<Pick<NtfyServer, "kept">>;
const receivers: readonly (readonly [type: string, start: () => Promise<Receiver>])[] = [
  ["ntfy", () => startNtfyServer({ settings: { button: true, escalate: "1h" } })],
  ["pushover", startPushoverServer],
  ["telegram", () => startTelegramServer({ button: true })],
];

test.each(receivers)("pressing a button at %s resolves the question and withdraws its message", async (type, start) => {
  const [world, service] = [new WorkerWorld(), await start()];
  onTestFinished(async () => {
    await world.remove();
    await service.close();
  });
  world.answerToAll = {};
  world.writeConfig({
    notifiers: { phone: { type, ...service.settings, detail: "full" } },
    lookups: [],
    attention: { wait: "0s" },
  });
  const call = { tool_name: "Bash", tool_input: { command: "npm test" } };
  world.fire({ hook_event_name: "PermissionRequest", session_id: "shop", cwd: "/code/shop", ...call });
  void world.start();
  await world.until((lines) => lines.some(({ status }) => status === "sent"));
  const [message] = await service.listActive();
  await service.press(message?.body ?? "");
  const lines = await world.until((all) => all.some(({ status }) => status === "withdrawn"));
  expect(lines.filter(({ status }) => status === "resolved")).toMatchObject([{ resolvedBy: "button" }]);
  expect(await service.listActive()).not.toContainEqual(message);
  expect(service.kept?.() ?? []).toEqual([]);
});
