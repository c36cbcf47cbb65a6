import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { clean } from "../../src/text/clean.ts";
import { openReceiver, type Receiver } from "../world/receiver.ts";
import { useHome } from "../world/use-home.ts";

/** Text that some interpreter on the way could execute or expand. */
const hostile = [
  "\"double\" and 'single' quotes, $(touch PWNED) `touch PWNED` ${HOME} %s %n \\n \\u0041",
  "--help -- -e; touch PWNED & | > PWNED",
  "<b>bold</b> <script>alert(1)</script> &amp; <a href='x'>",
  "<!channel> <!here> <@U012AB3CD> <https://evil.example|click> @everyone *bold* _x_ ~y~",
  "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b]52;c;ZXZpbA==\u0007 \u009b31m bell\u0007 \u202eabc",
  "{project} {{summary}} ${message} $& $1 __proto__",
  "👩‍👩‍👧‍👦 é ﷽ Zażółć 日本語 עברית",
].join("\n");

const home = useHome();
let webhook: Receiver;
let slack: Receiver;
beforeEach(async () => {
  [webhook, slack] = await Promise.all([openReceiver(), openReceiver()]);
  const saved = (name: string) => join(home.paths.root, name);
  writeFileSync(
    saved("module.mjs"),
    `import { writeFileSync } from "node:fs";
    export const notifier = { async send({ message, settings }) { writeFileSync(settings.to, JSON.stringify(message)); } };`,
  );
  home.writeConfig({
    notifiers: {
      hook: { type: "webhook", url: webhook.url },
      team: { type: "slack", url: slack.url },
      mine: { type: "command", run: ["tee", saved("command.json")] },
      own: { type: "module", path: saved("module.mjs"), settings: { to: saved("module.json") } },
    },
    templates: { Notification: { title: "{message}", body: "{message}" } },
    delivery: { linger: "1s" },
  });
});

async function deliver(message: string): Promise<void> {
  const payload = JSON.stringify({ hook_event_name: "Notification", session_id: "s1", cwd: "/home/dev/shop", message });
  const result = await home.launch(["Notification", "--agent", "claude"], payload, { cwd: home.paths.root });
  expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  await home.until((journal) => journal.filter(({ status }) => status === "sent").length === 4);
}

interface Sent {
  readonly title: string;
  readonly body: string;
  readonly message: string;
}

/** Returns the messages that arrived at each notifier. */
function arrivals(): Readonly<Record<string, Sent>> {
  const read = (name: string) => JSON.parse(readFileSync(join(home.paths.root, name), "utf8"));
  return {
    webhook: JSON.parse(webhook.accepted[0]?.body ?? "").data,
    command: read("command.json").data,
    module: read("module.json"),
  };
}

test("hostile text arrives as text at every notifier, without side effects", async () => {
  await deliver(hostile);
  for (const [name, { body, title }] of Object.entries(arrivals())) {
    expect(body, name).toBe(clean(hostile));
    expect(title, name).not.toMatch(/\n/);
    expect(title, name).toContain("$(touch PWNED)");
  }
  const posted = JSON.parse(slack.accepted[0]?.body ?? "") as {
    text: string;
    blocks: { text: { type: string; text: string } }[];
  };
  expect(posted.text).not.toMatch(/<[!@h]/);
  expect(posted.blocks.every(({ text }) => text.type === "plain_text")).toBe(true);
  const decoded = posted.blocks[1]?.text.text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
  expect(decoded).toBe(clean(hostile));
  expect(existsSync(join(home.paths.root, "PWNED"))).toBe(false);
  const [accepted, ...deliveries] = home.journal();
  expect(accepted?.summary).toContain("$(touch PWNED)");
  expect(JSON.stringify(deliveries)).not.toContain("PWNED");
});
