import * as z from "zod";
import { secret, secretUrl } from "../core/secret.ts";
import { hmacBase64 } from "./shared/hashes.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { webhookBody } from "./shared/webhook-body.ts";

const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, "must be `whsec_` followed by a key in base64")
  .refine((text) => {
    const { length } = keyOf(text);
    return length >= 24 && length <= 64;
  }, "the key must be 24 to 64 bytes long");

export const webhook = defineHttpNotifier({
  name: "webhook",
  summary: "Posts the event as JSON to your own server, signed according to Standard Webhooks.",
  source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  audience: "machine",
  settings: z.object({
    url: secretUrl("The address to post to."),
    secret: secret(signingSecret)
      .optional()
      .describe("The signing key, `whsec_…`; without it the request is not signed."),
    headers: z
      .record(z.string().regex(/^[\w-]+$/), secret(z.string()))
      .optional()
      .describe("Additional request headers."),
  }),
  example: { url: "https://example.org/in", secret: "${file:~/.secrets/hook}" },
  budgetMs: 15_000,
  maxInFlight: 16,
  limits: { unit: "bytes", title: 500, body: 8_000 },
  fallbackLimits: { unit: "bytes", title: 200, body: 500 },
  request({ settings, message, nowMs }) {
    const body = JSON.stringify(webhookBody(message));
    const timestamp = String(Math.floor(nowMs / 1000));
    const headers = { ...settings.headers, "webhook-id": message.id, "webhook-timestamp": timestamp };
    const signature = settings.secret && { "webhook-signature": sign(settings.secret, message.id, timestamp, body) };
    return { url: settings.url, body, headers: { ...headers, ...signature } };
  },
  // https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-base.webhook/workflow-development/
  hints: {
    auth: "Check `url`, `secret` and `headers`. In n8n the workflow must be active, and a test address works for two minutes only.",
  },
});

/** The signature of a request, `v1,<base64>`: the HMAC-SHA-256 of `id.timestamp.body`. */
export function sign(secretText: string, id: string, timestamp: string, body: string): string {
  return `v1,${hmacBase64(keyOf(secretText), `${id}.${timestamp}.${body}`)}`;
}

function keyOf(secretText: string): Buffer {
  return Buffer.from(secretText.slice("whsec_".length), "base64");
}
