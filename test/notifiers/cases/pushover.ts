import { expect } from "vitest";
import { answer, answerJson } from "../../world/hostile-server.ts";
import { type Cases, canary, limited, readTitled } from "../contract/notifier-case.ts";
import { startPushoverServer } from "../pushover-server.ts";

const reset = { "x-limit-app-reset": String(Date.parse("2026-11-20T13:00:00Z") / 1000) };

export const settings = (server: string) => ({ server, token: canary, user: `${canary}2` });

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { status: 1, request: "647d2300" }, reset),
  rejections: [
    ["a wrong token", answerJson(400, { token: "invalid", errors: ["x"], status: 0 }), "auth"],
    ["a wrong user", answerJson(400, { user: "invalid", errors: ["x"], status: 0 }), "auth"],
    ["a refusal within a success", answerJson(200, { status: 0 }), "rejected"],
    ["the month's quota", answerJson(429, { status: 0 }, reset), limited(3_600_000)],
    ["too fast, with messages left", answer(429, { ...reset, "x-limit-app-remaining": "9000" }, ""), limited(5_000)],
    ["a fault with the quota's headers", answer(500, reset, ""), { reason: "unavailable", waitMs: 5_000 }],
  ],
  read: ({ body }) => readTitled(JSON.parse(body)),
  valid({ body, path }) {
    expect(path).toBe("/1/messages.json");
    const { title = "", message, html, priority } = JSON.parse(body);
    expect([...title].length).toBeLessThanOrEqual(250);
    expect([...message].length).toBeLessThanOrEqual(1_024);
    expect(message).not.toBe("");
    expect([html, priority]).toEqual([undefined, 1]);
  },
  mentions: ["<b>bold</b> <a href='https://evil.example'>x</a>"],
};

export const changeCase: Cases["changeCase"] = {
  start: startPushoverServer,
  withdrawn: "nothing",
  refusal: "rate-limited",
};

export const reactionCase: Cases["reactionCase"] = {
  start: startPushoverServer,
  refusal: "rate-limited",
  foreign: [{}, { receipt: 1 }, { receipt: "" }, { receipt: "../messages" }, { receipt: "r?token=x" }],
  off: { emergency: false },
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "POST", path: "/1/users/validate.json" },
  success: answerJson(200, { status: 1, devices: ["phone"] }),
};
