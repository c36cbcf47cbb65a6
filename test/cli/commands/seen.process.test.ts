import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { builtCli } from "../../world/cli-home.ts";
import { run } from "../../world/home.ts";
import { useHome } from "../../world/use-home.ts";

const home = useHome();
beforeEach(() => {
  const log = { type: "file", path: join(home.paths.root, "messages.txt") };
  home.writeConfig({ notifiers: { log }, delivery: { linger: "1s" } });
});

/** Fires a permission request as Claude Code does, and waits until the worker has sent a message. */
async function ask(session: string): Promise<void> {
  const payload = { hook_event_name: "Notification", session_id: session, cwd: `/home/me/${session}` };
  const asked = { ...payload, notification_type: "permission_prompt", message: `may ${session} push?` };
  await home.launch(["Notification", "--agent", "claude"], JSON.stringify(asked));
  await home.until((journal) => journal.some(({ sessionId, status }) => sessionId === session && status === "sent"));
}

const seen = (...args: readonly string[]) => run(process.execPath, [builtCli, "seen", ...args], "", { env: home.env });
const resolvedIn = () =>
  home
    .journal()
    .flatMap(({ status, sessionId, resolvedBy }) => (status === "resolved" ? [[sessionId, resolvedBy]] : []));

test("a named session is resolved, others keep waiting, and the outcome is printed", async () => {
  await ask("api");
  await ask("shop");
  const stdout = expect.stringMatching(/^seen: api · Claude Code, needs-you for \d+ (ms|s): may api push\?\n$/);
  expect(await seen("api")).toMatchObject({ exitCode: 0, stdout });
  expect(resolvedIn()).toEqual([["api", "seen"]]);
  expect((await seen()).stdout).toMatch(/^seen: shop /);
  expect(resolvedIn()).toEqual([["api", "seen"], ["shop", "seen"]]); // biome-ignore format: pairs
  expect((await seen()).stdout).toBe("No session is waiting for you.\n");
});
