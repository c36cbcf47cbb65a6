import { beforeEach, expect, test } from "vitest";
import { buildAllowWith } from "../../src/core/permission-reply.ts";
import { askedPayload, askingConfig, startAgent, useAskingHome } from "../world/asking-agent.ts";
import { startButtonDesktop } from "../world/button-desktop.ts";
import { useShared } from "../world/use.ts";
import { allow, deny } from "./replies.ts";

const home = useAskingHome();
const desktop = useShared("stop", () => startButtonDesktop(71));
beforeEach(() => {
  const { answers } = askingConfig;
  home.writeConfig({
    notifiers: { desk: { type: "desktop" } },
    lookups: [],
    attention: { wait: "0s" },
    answers: { ...answers, from: { desk: ["deny", "allow"] } },
  });
});

const ask = (command: string) => startAgent(home, askedPayload({ tool: "Bash", input: { command } }), 30, desktop.env);

/** Waits until the bubble has been visible for the second in which nothing is allowed. */
async function untilReadable(): Promise<void> {
  const [sent] = (await home.until((journal) => journal.some(({ status }) => status === "sent"))).filter(
    ({ status }) => status === "sent",
  );
  await expect.poll(() => Date.now() - Date.parse(sent?.at ?? "")).toBeGreaterThan(1_200);
}

test.each(["allow", "deny"] as const)("the button %s of a bubble answers", async (button) => {
  const agent = ask("echo 1");
  await untilReadable();
  await desktop.press(button);
  expect(await agent.end).toMatchObject({ printed: button === "allow" ? allow : deny() });
  await expect.poll(() => desktop.hasBubble()).toBe(false);
});

test("the button of an option answers a question", async () => {
  const options = [{ label: "Postgres 16" }, { label: "SQLite" }];
  const input = { questions: [{ question: "Which database shall the shop use?", options }] };
  const agent = startAgent(home, askedPayload({ tool: "AskUserQuestion", input }), "--form 30", desktop.env);
  await untilReadable();
  await desktop.press("option");
  const answers = { "Which database shall the shop use?": "SQLite" };
  expect(await agent.end).toMatchObject({ printed: buildAllowWith({ ...input, answers }) });
  await expect.poll(() => desktop.hasBubble()).toBe(false);
});

test("a press within a second does not allow", async () => {
  const agent = ask("echo 1");
  await desktop.press("allow");
  const lines = await home.until((journal) => journal.some(({ status }) => status === "refused"));
  expect(lines.some(({ status }) => status === "answered")).toBe(false);
  agent.process.kill();
});
