import { expect } from "vitest";
import { answer, answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, readTitled } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

const token = `A${canary}`;
const clientToken = `C${canary}`;

interface Sent {
  readonly title?: string;
  readonly message: string;
}

const fault = (errorCode: number, error: string): Behaviour =>
  answerJson(errorCode, { error, errorCode, errorDescription: "in its own words" });

/**
 * Starts a Gotify server with one application and one client, which alone may delete. Ids are never reused.
 * https://github.com/gotify/server/blob/master/api/message.go
 */
export async function startGotifyServer(): Promise<ChangeWorld> {
  const messages = new Map<number, Sent>();
  let lastId = 0;
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    const key = headers["x-gotify-key"];
    if (method === "POST" && path === "/message" && key === token) {
      lastId += 1;
      messages.set(lastId, JSON.parse(body) as Sent);
      return answerJson(200, { id: lastId, appid: 1, date: "2026-11-20T12:00:00Z" });
    }
    const [, id] = (method === "DELETE" && /^\/message\/(\d+)$/.exec(path)) || [];
    if (id === undefined || key !== clientToken) return fault(401, "Unauthorized");
    return messages.delete(Number(id)) ? answer(200, {}, "") : fault(404, "Not Found");
  };
  const refusal = fault(401, "Unauthorized");
  const server = await startRuledServer({ reply, refusal, clear: () => messages.clear() });
  return {
    ...server,
    settings: { server: server.origin, token, clientToken },
    listActive: async () => [...messages.values()].map(readTitled),
  };
}

export const settings = (origin: string) => ({ server: `${origin}/`, token: canary });

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { id: 1, appid: 1 }),
  rejections: [
    ["a wrong token", answerJson(401, { error: "Unauthorized", errorCode: 401 }), "auth"],
    ["another program's JSON", answerJson(200, { ok: true }), "unavailable"],
  ],
  read: ({ body }) => readTitled(JSON.parse(body)),
  valid({ body, headers, path }) {
    expect(path).toBe("/message");
    expect(headers["x-gotify-key"]).toBe(canary);
    const payload = JSON.parse(body);
    expect(payload.message).not.toBe("");
    expect(payload.priority).toBe(8);
    expect(payload.extras).toBeUndefined(); // plain text
  },
  mentions: ["[click](https://evil.example) ![](https://evil.example/x.png)"],
};

export const changeCase: Cases["changeCase"] = {
  start: startGotifyServer,
  withdrawn: "nothing",
  refusal: "auth",
  foreign: [{}, { id: "1" }, { id: "../application/1" }],
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: "/version" },
  success: answerJson(200, { version: "2.6.1", commit: "x", buildDate: "y" }),
  addressOnly: true,
};
