import * as z from "zod";
import { hmacBase64 } from "./shared/hashes.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { webhookBody } from "./shared/webhook-body.ts";

const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, "must be `whsec_` and a key in base64")
  .refine((text) => {
    const { length } = keyOf(text);
    return length >= 24 && length <= 64;
  }, "the key must be 24 to 64 bytes long");

/** Posts the event as JSON, signed by Standard Webhooks where a secret is set. */
export const webhook = defineHttpNotifier({
  name: "webhook",
  summary: "Posts the event as JSON to your own server, signed as Standard Webhooks.",
  source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  settings: z.object({
    url: secretUrl("Where to post."),
    secret: secret(signingSecret).optional().describe("Signing key, `whsec_…`. Without it nothing is signed."),
    headers: z
      .record(z.string().regex(/^[\w-]+$/), secret(z.string()))
      .optional()
      .describe("Further request headers."),
  }),
  example: { url: "https://example.org/in", secret: "${file:~/.secrets/hook}" },
  budgetMs: 15_000,
  limits: { unit: "bytes", title: 500, body: 8_000 },
  plainer: { unit: "bytes", title: 200, body: 500 },
  request({ settings, message, nowMs }) {
    const body = JSON.stringify(webhookBody(message));
    const timestamp = String(Math.floor(nowMs / 1000));
    const headers = { ...settings.headers, "webhook-id": message.id, "webhook-timestamp": timestamp };
    const signature = settings.secret && { "webhook-signature": sign(settings.secret, message.id, timestamp, body) };
    return { url: settings.url, body, headers: { ...headers, ...signature } };
  },
  // https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-base.webhook/workflow-development/
  hints: {
    auth: "Check `url`, `secret` and `headers`. At n8n the workflow must be active; a test address lives for two minutes.",
  },
});

/** `v1,<base64>`: HMAC-SHA-256 over `id.timestamp.body`. */
export function sign(secretText: string, id: string, timestamp: string, body: string): string {
  return `v1,${hmacBase64(keyOf(secretText), `${id}.${timestamp}.${body}`)}`;
}

function keyOf(secretText: string): Buffer {
  return Buffer.from(secretText.slice("whsec_".length), "base64");
}
