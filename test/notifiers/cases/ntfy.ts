import { expect } from "vitest";
import { answerJson } from "../../world/hostile-server.ts";
import { type Cases, canary, limited, readTitled } from "../contract/notifier-case.ts";
import { startNtfyServer } from "../ntfy-server.ts";

export const settings = (server: string) => ({ server, topic: "agents", token: canary });

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { id: "hwQ2YpKdmg", event: "message" }),
  rejections: [
    ["too many requests", answerJson(429, { code: 42901, http: 429 }), limited(5_000)],
    ["the day's messages", answerJson(429, { code: 42908, http: 429 }), limited(6 * 3_600_000)],
    ["a wrong token", answerJson(401, { code: 40101, http: 401 }), "auth"],
    ["a foreign topic", answerJson(403, { code: 40301, http: 403 }), "auth"],
    ["a wrong topic", answerJson(400, { code: 40009, http: 400 }), "auth"],
    ["a reserved topic", answerJson(400, { code: 40010, http: 400 }), "auth"],
    ["too long a delay", answerJson(400, { code: 40006, http: 400 }), "rejected"],
    ["an invalid JSON message", answerJson(400, { code: 40017, http: 400 }), "rejected"],
    ["a fault", answerJson(500, { code: 50001, http: 500 }), "unavailable"],
  ],
  read: ({ body }) => readTitled(JSON.parse(body)),
  valid({ body, headers, path }) {
    expect(path).toBe("/");
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    const { topic, message, priority, markdown } = JSON.parse(body);
    expect({ topic, priority, markdown }).toEqual({ topic: "agents", priority: 4, markdown: undefined });
    expect(Buffer.byteLength(message)).toBeLessThan(4_096);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_192);
    expect(message).not.toBe("");
  },
  mentions: ['","click":"https://evil.example","x":"', "**bold** ![](https://evil.example/x.png)"],
};

export const changeCase: Cases["changeCase"] = {
  start: () => startNtfyServer(),
  withdrawn: "nothing",
  refusal: "rate-limited",
  foreign: ["", "../other", "a/clear?x=1", 1, undefined].map((sequence) => ({ sequence })),
};
export const topic = { topic: "a" };

export const reactionCase: Cases["reactionCase"] = {
  start: () => startNtfyServer({ settings: { button: true } }),
  refusal: "rate-limited",
  foreign: [{}, { sequence: 1 }, { sequence: "" }, { sequence: "../x" }, { sequence: "a", sentAt: "1&x" }],
  off: { button: false },
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: "/v1/health" },
  success: answerJson(200, { healthy: true }),
  addressOnly: true,
};
