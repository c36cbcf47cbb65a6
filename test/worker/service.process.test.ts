import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { keys } from "../world/service/access.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";

let home: Home;
let receiver: Receiver;
let sandbox: Sandbox;
beforeEach(async () => {
  home = createHome();
  [receiver, sandbox] = await Promise.all([startReceiver(), startSandbox()]);
});
afterEach(async () => {
  await home.remove();
  await Promise.all([receiver.close(), sandbox.close()]);
});

/** A session with a title, as most have one. */
const titled = () => sandbox.state.sessions.find(({ title, sessionSettings }) => title && sessionSettings?.tokenUsage);

async function bodyOfStop(apiKey: string | undefined): Promise<string> {
  const session = titled();
  home.writeConfig({
    notifiers: { hook: { type: "webhook", url: receiver.url } },
    ...(apiKey && { service: { baseUrl: sandbox.baseUrl, apiKey } }),
    delivery: { linger: "0s" },
  });
  const payload = { hook_event_name: "Stop", session_id: session?.sessionId, cwd: "/home/dev/shop" };
  const said = { ...payload, last_assistant_message: "The file is reviewed." };
  const hook = await home.launch(["Stop", "--agent", "droid"], JSON.stringify(said));
  expect(hook).toMatchObject({ exitCode: 0, stderr: "" });
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  return JSON.parse(receiver.accepted[0]?.body ?? "").data.body;
}

test("a session that fired a hook shows its title and tokens at the service, with a key", async () => {
  const body = await bodyOfStop(keys.owner);
  const [title, said, tokens] = body.split("\n");
  expect([title, said]).toEqual([titled()?.title, "The file is reviewed."]);
  expect(tokens).toMatch(/^session: [\d.]+[KM]? tokens in, [\d.]+[KM]? out$/);
});

test("without a key the message is delivered all the same", async () => {
  expect(await bodyOfStop(undefined)).toBe("The file is reviewed.");
  expect(sandbox.seen).toEqual([]);
});

test("a key that is refused is reported in the journal, without the key", async () => {
  expect(await bodyOfStop("a-wrong-key-4711")).toBe("The file is reviewed.");
  const accepted = home.journal().find(({ status }) => status === "accepted");
  expect(accepted?.reason).toMatch(/401/);
  expect(JSON.stringify(home.journal())).not.toContain("4711");
});
