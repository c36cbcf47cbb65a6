import { beforeEach, expect, test } from "vitest";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";
import { ClaudeTranscript } from "../world/transcript.ts";

const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
const human = { origin: { kind: "human" }, promptSource: "typed" };
const system = { origin: { kind: "task-notification" }, promptSource: "system" };

let world: AttentionWorld;
let transcript: ClaudeTranscript;
beforeEach(async () => {
  world = new AttentionWorld();
  await world.start({ routes: [{ to: ["desk"] }] });
  transcript = new ClaudeTranscript(world);
  transcript.user("go", { promptId: "p0", ...human });
});

/** Plays a request at second 0, and a prompt in the request's session one second later. */
async function promptAfterRequest(prompt: string): Promise<void> {
  world.fire(shop, "Notification", { notification_type: "permission_prompt", message: "may I?", ...files() });
  await world.workUntil(startMs + 1_000);
  world.fire(shop, "UserPromptSubmit", { prompt, prompt_id: "p1", ...files() });
}
const files = () => ({ transcript_path: transcript.path });
/** Growth of the transcript delays the next ring by ten seconds. */
const rings = () => world.calls.map(({ atMs, verb }) => `${(atMs - startMs) / 1000} ${verb}`);

test.each([
  ["a user typed", "check the deploy", human, []],
  ["a program wrote", "check the deploy", system, ["11.6 ring"]],
  ["a user typed although it begins like a program's", "<agent-message>", human, []],
  ["is marked as a program's", "check the deploy", { isMeta: true }, ["11.6 ring"]],
])("a request waits for the transcript line of a prompt that %s", async (_, prompt, author, calls) => {
  await promptAfterRequest(prompt);
  await world.workUntil(startMs + 1_600);
  transcript.user(prompt, { promptId: "p1", ...author });
  await world.workUntil(startMs + 20_000);
  expect(rings()).toEqual(calls);
});

test("a prompt without a line ends the request after two seconds unless it looks generated", async () => {
  await promptAfterRequest("check the deploy");
  await world.workUntil(startMs + 20_000);
  expect(rings()).toEqual([]);
  world.fire(shop, "Notification", { notification_type: "permission_prompt", message: "and now?", ...files() });
  await world.workUntil(startMs + 21_000);
  world.fire(shop, "UserPromptSubmit", { prompt: "<agent-message>hi", prompt_id: "p2", ...files() });
  await world.workUntil(startMs + 40_000);
  expect(rings()).toEqual(["22 ring"]);
});

test("the transcript may first have a line that the program added to the prompt", async () => {
  await promptAfterRequest("look at this");
  transcript.user("[Image: source: /tmp/a.png]", { promptId: "p1", isMeta: true });
  transcript.user("look at this", { promptId: "p1", ...human });
  await world.workUntil(startMs + 20_000);
  expect(rings()).toEqual([]);
});

test("a key pressed at the terminal just before marks the prompt as the user's", async () => {
  world.fire(shop, "Notification", { notification_type: "permission_prompt", message: "may I?" });
  await world.workUntil(startMs + 5_000);
  world.typed.set(shop.pid, world.nowMs - 3_000);
  world.fire(shop, "UserPromptSubmit", { prompt: "<agent-message> what is that?" });
  await world.workUntil(startMs + 6_000);
  expect(rings()).toEqual(["2 ring", "5 withdraw"]);
});
