import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { sign, webhook } from "../../src/notifiers/webhook.ts";
import { fixDate } from "../world/fixed-date.ts";
import { answer } from "../world/hostile-server.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { changesAt, followingServer } from "./contract/following-programs.ts";
import { canary } from "./contract/notifier-case.ts";

const sentAtMs = Date.parse("2026-11-20T12:00:00Z");
fixDate(sentAtMs); // Standard Webhooks refuses what is five minutes old

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=";

describeHttpNotifier(webhook, {
  settings: (origin) => ({ url: `${origin}/${canary}`, secret, headers: { "x-key": canary } }),
  success: answer(204),
  anySuccess: true,
  rejections: [
    ["502, which Standard Webhooks calls a throttle", answer(502), "unavailable"],
    ["422", answer(422), "rejected"],
  ],
  read({ body }) {
    const { title, body: text } = JSON.parse(body).data;
    return { title, body: text };
  },
  valid({ body, headers }) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64_000);
    expect(JSON.parse(body)).toMatchObject({ type: "agent.notification", timestamp: expect.any(String) });
    const id = String(headers["webhook-id"]);
    expect(headers["webhook-signature"]).toBe(sign(secret, id, String(headers["webhook-timestamp"]), body));
    const now = String(sentAtMs / 1000);
    const signed = { "webhook-timestamp": now, "webhook-signature": sign(secret, id, now, body) };
    expect(new Webhook(secret).verify(body, { ...(headers as Record<string, string>), ...signed })).toBeDefined();
  },
  mentions: ["@everyone <!channel> </script>"],
});

describeChanges(webhook, { ...changesAt(followingServer) });

test("the signature follows the Standard Webhooks rules", () => {
  const body = '{"type":"agent.finished","timestamp":"2026-11-01T00:00:00Z","data":{"project":"demo"}}';
  expect(sign(secret, "msg_demo1", "1700000000", body)).toBe("v1,PZv1KM2FZLZPM42uDB5OJ3tmWNnN7bXaVwNjIH7hNTg=");
});
