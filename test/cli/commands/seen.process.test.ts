import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtCli } from "../../world/cli-home.ts";
import { createHome, type Home, run } from "../../world/home.ts";

let installed: Home;
afterEach(async () => installed?.remove());

function install(): void {
  installed = createHome();
  const file = join(installed.paths.root, "messages.txt");
  installed.writeConfig({ notifiers: { log: { type: "file", path: file } }, delivery: { linger: "1s" } });
}

/** Fires a permission request as Claude Code does, and waits until the worker has sent a message. */
async function ask(session: string): Promise<void> {
  const payload = { hook_event_name: "Notification", session_id: session, cwd: `/home/me/${session}` };
  const asked = { ...payload, notification_type: "permission_prompt", message: `may ${session} push?` };
  await installed.launch(["Notification", "--agent", "claude"], JSON.stringify(asked));
  await installed.until((journal) =>
    journal.some(({ sessionId, status }) => sessionId === session && status === "sent"),
  );
}

const seen = (...args: readonly string[]) =>
  run(process.execPath, [builtCli, "seen", ...args], "", { env: installed.env });
const resolvedIn = () =>
  installed
    .journal()
    .flatMap(({ status, sessionId, resolvedBy }) => (status === "resolved" ? [[sessionId, resolvedBy]] : []));

test("a named session is resolved, others keep waiting, and the outcome is printed", async () => {
  install();
  await ask("api");
  await ask("shop");
  const { exitCode, stdout } = await seen("api");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^seen: api · Claude Code, needs-you for \d+ (ms|s): may api push\?\n$/);
  expect(resolvedIn()).toEqual([["api", "seen"]]);
  expect((await seen()).stdout).toMatch(/^seen: shop /);
  expect(resolvedIn()).toEqual([["api", "seen"], ["shop", "seen"]]); // biome-ignore format: pairs
  expect((await seen()).stdout).toBe("No session is waiting for you.\n");
});
