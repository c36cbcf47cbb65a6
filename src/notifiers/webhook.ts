import * as z from "zod";
import type { ChangeCall } from "../core/notifier-call.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { docsPage } from "../text/version.ts";
import { defineHttpNotifier, hmacBase64, shortHash } from "./shared/http-notifier.ts";
import { stateMessage, stateReceipt, statesSetting } from "./shared/states.ts";
import { stateBody, type WebhookBody, webhookBody } from "./shared/webhook-body-schema.ts";

const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, "must be `whsec_` followed by a key in base64")
  .refine((text) => {
    const { length } = decodeKey(text);
    return length >= 24 && length <= 64;
  }, "the key must be 24 to 64 bytes long");

const settingsSchema = z.object({
  url: secretUrl("The address to post to."),
  secret: secret(signingSecret).optional().describe("Signing key, `whsec_…`. Without a key, requests are not signed."),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "must be the name of a header"), secret(z.string()))
    .optional()
    .describe("Request headers to add."),
  states: statesSetting,
});
type Settings = z.output<typeof settingsSchema>;

export const webhook = defineHttpNotifier({
  name: "webhook",
  summary: "Posts the event as JSON to your own server, signed as in Standard Webhooks.",
  source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  guide: async () => ({
    where: { url: `See ${docsPage("writing-a-notifier")} for the JSON that the program there gets.` },
  }),
  audience: "machine",
  settings: settingsSchema,
  example: { url: "https://example.org/in", secret: "${file:~/.secrets/hook}" },
  budgetMs: 15_000,
  limits: { unit: "bytes", title: 500, body: 8_000 },
  fallbackLimits: { unit: "bytes", title: 200, body: 500 },
  lifecycle: { withdrawn: "reported", condition: "with `states`", keepsStates: ({ states }) => states },
  request: ({ settings, message, ports }) => signed(settings, webhookBody(message), message.id, ports.clock.now()),
  receipt: (_, { settings, message }) => stateReceipt(settings, message),
  update: { request: (call) => stateRequest("update", call) },
  withdraw: { request: (call) => stateRequest("withdraw", call) },
  // https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-base.webhook/workflow-development/
  hints: {
    auth: "Check `url`, `secret` and `headers`. In n8n the workflow must be active, and a test address works for two minutes only.",
  },
});

/** Builds a signed request with an id, by which a receiver can drop duplicates. */
function signed({ url, secret: key, headers }: Settings, content: WebhookBody, id: string, nowMs: number) {
  const body = JSON.stringify(content);
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = key && { "webhook-signature": sign(key, id, timestamp, body) };
  return { url, body, headers: { ...headers, "webhook-id": id, "webhook-timestamp": timestamp, ...signature } };
}

function stateRequest(verb: "update" | "withdraw", call: ChangeCall<Settings>) {
  const found = stateMessage(verb, call);
  if (!found) return undefined;
  const nowMs = call.ports.clock.now();
  const content = stateBody(found.message, { state: found.state, nowMs });
  // The id is the same for every attempt with this content, and for no other content.
  return signed(call.settings, content, `${content.data.id}-${shortHash(JSON.stringify(content.data))}`, nowMs);
}

/** Computes the signature of a request, `v1,<base64>`: the HMAC-SHA-256 of `id.timestamp.body`. */
export function sign(secretText: string, id: string, timestamp: string, body: string): string {
  return `v1,${hmacBase64(decodeKey(secretText), `${id}.${timestamp}.${body}`)}`;
}

function decodeKey(secretText: string): Buffer {
  return Buffer.from(secretText.slice("whsec_".length), "base64");
}
