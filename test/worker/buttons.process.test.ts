import { expect, onTestFinished, test } from "vitest";
import type { ReactionWorld } from "../notifiers/contract/describe-reactions.ts";
import { type NtfyServer, startNtfyServer } from "../notifiers/ntfy-server.ts";
import { startPushoverServer } from "../notifiers/pushover-server.ts";
import { startTelegramServer } from "../notifiers/telegram-server.ts";
import { createHome } from "../world/home.ts";

type Receiver = ReactionWorld & Partial<Pick<NtfyServer, "kept">>;
const receivers: readonly (readonly [type: string, start: () => Promise<Receiver>])[] = [
  ["ntfy", () => startNtfyServer({ settings: { button: true, escalate: "1h" } })],
  ["pushover", startPushoverServer],
  ["telegram", () => startTelegramServer({ button: true })],
];

test.each(receivers)(
  "a button that is pressed at %s ends the question, and its message is taken back",
  async (type, start) => {
    const [home, world] = [createHome(), await start()];
    onTestFinished(async () => {
      await home.remove();
      await world.close();
    });
    home.writeConfig({
      notifiers: { phone: { type, ...world.settings, detail: "full" } },
      lookups: [],
      attention: { wait: "0s" },
    });
    const payload = { session_id: "shop", cwd: "/code/shop", tool_name: "Bash", tool_input: { command: "npm test" } };
    const event = JSON.stringify({ hook_event_name: "PermissionRequest", ...payload });
    await home.launch(["PermissionRequest", "--agent", "claude"], event);
    await home.until((lines) => lines.some(({ status }) => status === "sent"));
    const [message] = await world.standing();
    await world.press(message?.body ?? "");
    const lines = await home.until((all) => all.some(({ status }) => status === "withdrawn"), 60_000);
    expect(lines.filter(({ status }) => status === "resolved")).toMatchObject([{ resolvedBy: "button" }]);
    expect(await world.standing()).not.toContainEqual(message);
    expect(world.kept?.() ?? []).toEqual([]);
  },
  120_000,
);
