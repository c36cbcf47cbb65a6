import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { sign } from "../../../src/notifiers/webhook.ts";
import { answer } from "../../world/hostile-server.ts";
import { changesAt, followingServer } from "../contract/following-programs.ts";
import { type Cases, canary, nowMs } from "../contract/notifier-case.ts";

export const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=";

export const httpCase: Cases["httpCase"] = {
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
    const now = String(nowMs / 1000);
    const signed = { "webhook-timestamp": now, "webhook-signature": sign(secret, id, now, body) };
    expect(new Webhook(secret).verify(body, { ...(headers as Record<string, string>), ...signed })).toBeDefined();
  },
  mentions: ["@everyone <!channel> </script>"],
};

export const changeCase: Cases["changeCase"] = changesAt(followingServer);
