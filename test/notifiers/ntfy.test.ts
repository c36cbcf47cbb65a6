import { expect, test } from "vitest";
import { ntfy } from "../../src/notifiers/ntfy.ts";
import { answer } from "../helpers/hostile-server.ts";
import { canary, describeHttpNotifier } from "../helpers/notifier-contract.ts";

const json = { "content-type": "application/json" };

describeHttpNotifier(ntfy, {
  settings: (server) => ({ server, topic: "agents", token: canary }),
  success: answer(200, json, '{"id":"hwQ2YpKdmg","event":"message"}'),
  refusals: [
    ["too many requests", answer(429, json, '{"code":42901,"http":429}'), { reason: "rate-limited", waitMs: 5_000 }],
    [
      "the day's messages",
      answer(429, json, '{"code":42908,"http":429}'),
      { reason: "rate-limited", waitMs: 6 * 3_600_000 },
    ],
    ["a wrong token", answer(401, json, '{"code":40101,"http":401}'), { reason: "auth" }],
    ["a topic of somebody else's", answer(403, json, '{"code":40301,"http":403}'), { reason: "auth" }],
    ["a wrong topic", answer(400, json, '{"code":40009,"http":400}'), { reason: "rejected" }],
  ],
  read({ body }, message) {
    const { title, message: text } = JSON.parse(body);
    return { title, body: message.body === "" ? "" : text };
  },
  valid({ body, headers, path }) {
    expect(path).toBe("/");
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    const { topic, message, priority, markdown } = JSON.parse(body);
    expect({ topic, priority, markdown }).toEqual({ topic: "agents", priority: 4, markdown: undefined });
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(message).not.toBe("");
  },
  mentions: ['","click":"https://evil.example","x":"', "**bold** ![](https://evil.example/x.png)"],
});

test.each([
  ["https://ntfy.sh", "minimal"],
  ["https://ntfy.example.com", "minimal"],
  ["https://8.8.8.8", "minimal"],
  ["http://172.32.0.1", "minimal"],
  ["http://localhost:2586", "full"],
  ["http://127.0.0.1", "full"],
  ["http://192.168.1.5:80", "full"],
  ["http://10.1.2.3", "full"],
  ["http://172.16.0.1", "full"],
  ["http://[::1]:80", "full"],
  ["http://[fd00::1]", "full"],
  ["https://ntfy.lan", "full"],
  ["http://raspberry", "full"],
] as const)("on %s shows %s by default", (server, detail) => {
  expect(ntfy.detail?.(ntfy.settings.parse({ server, topic: "a" }))).toBe(detail);
});

test.each(["a b", "../x", "", "x".repeat(65), "ä"])("%j is no topic", (topic) => {
  expect(ntfy.settings.safeParse({ topic }).success).toBe(false);
});
