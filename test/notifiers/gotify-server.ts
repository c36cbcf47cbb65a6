import { answer, type Behaviour, startHostileServer } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const token = `A${canary}`;
const clientToken = `C${canary}`;

interface Sent {
  readonly title?: string;
  readonly message: string;
}

const fault = (errorCode: number, error: string): Behaviour =>
  answer(errorCode, json, JSON.stringify({ error, errorCode, errorDescription: "in its own words" }));

/**
 * A Gotify server with one application and one client, which alone may delete. Ids are never given twice.
 * https://github.com/gotify/server/blob/master/api/message.go
 */
export async function startGotifyServer(): Promise<ChangeWorld> {
  const messages = new Map<number, Sent>();
  let lastId = 0;
  let refusal: Behaviour | undefined;
  const behaviourFor = (method: string, path: string, body: string, key: unknown): Behaviour => {
    if (method === "POST" && path === "/message" && key === token) {
      lastId += 1;
      messages.set(lastId, JSON.parse(body) as Sent);
      return answer(200, json, JSON.stringify({ id: lastId, appid: 1, date: "2026-11-20T12:00:00Z" }));
    }
    const [, id] = (method === "DELETE" && /^\/message\/(\d+)$/.exec(path)) || [];
    if (id === undefined || key !== clientToken) return fault(401, "Unauthorized");
    return messages.delete(Number(id)) ? answer(200, {}, "") : fault(404, "Not Found");
  };
  const server = await startHostileServer({
    "*": (request, response) => {
      const { method = "", path = "", body = "", headers } = server.requests.at(-1) ?? {};
      const behave = refusal ?? behaviourFor(method, path, body, headers?.["x-gotify-key"]);
      refusal = undefined;
      behave(request, response);
    },
  });
  const clear = async () => messages.clear();
  return {
    settings: { server: server.origin, token, clientToken },
    standing: async () => [...messages.values()].map(readGotify),
    removeAll: clear,
    beginAnew: clear,
    refuseNext() {
      refusal = fault(401, "Unauthorized");
    },
    close: () => server.close(),
  };
}

/** A message as its reader sees it. */
export function readGotify({ title, message }: Sent): Reading {
  return title === undefined ? { title: message, body: "" } : { title, body: message };
}
