import { expect, test } from "vitest";
import { variantFindings } from "../../src/config/check.ts";
import { slack } from "../../src/notifiers/slack.ts";
import { answerJson } from "../world/hostile-server.ts";
import { bot, sent } from "./cases/slack.ts";
import { updateAt } from "./contract/describe-notifier.ts";
import { makeRequest } from "./contract/make-request.ts";

test("a bot is at Slack unless the settings name a server", () => {
  const { url } = makeRequest(slack, { token: "xoxb-1234567890", channel: "C1" });
  expect(url).toBe("https://slack.com/api/chat.postMessage");
});

test("a bot's message loses its rejected blocks in the fallback form, and links no names", async () => {
  const [asked] = await updateAt(slack, bot, { receipt: sent, reply: answerJson(200, { ok: true }), isFallback: true });
  expect(asked).toMatchObject({ method: "POST", path: "/api/chat.update" });
  expect(JSON.parse(asked?.body ?? "")).toMatchObject({ ...sent, blocks: [], parse: "none" });
});

test.each([
  [{ url: "https://hooks.slack.com/services/x", token: "xoxb-1234567890", channel: "#a" }, "notifiers.team"],
  [{ token: "xoxb-1234567890" }, "notifiers.team.channel"],
  [{ channel: "#a" }, "notifiers.team.token"],
  [{}, "notifiers.team.url"],
])("an entry needs a complete webhook or bot: %j is an error at %s", (settings, path) => {
  const findings = variantFindings(slack.variants ?? [], settings, ["notifiers", "team"]);
  expect(findings).toMatchObject([{ level: "error", path: path.split(".") }]);
});
