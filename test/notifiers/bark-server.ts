import { answer, type Behaviour, startHostileServer } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json" };

interface Push {
  readonly device_key: string;
  readonly title?: string;
  readonly body?: string;
  readonly id?: string;
  readonly delete?: string;
}

/** What the server says of a push. */
export const says = (status: number, message: string): Behaviour =>
  answer(status, json, JSON.stringify({ code: status, message }));

/**
 * A Bark server and a phone with its app, both of which know of ids. A push without a text shows one of the server's
 * own; the app takes `delete` as a text alone. https://github.com/Finb/bark-server/blob/master/route_push.go
 */
export async function startBarkServer(): Promise<ChangeWorld> {
  const onPhone = new Map<string, Reading>();
  let count = 0;
  let refusal: Behaviour | undefined;
  const push = ({ device_key, id, delete: isDelete, ...text }: Push): Behaviour => {
    if (device_key !== canary) return says(400, "failed to get device token: not found");
    if (isDelete === "1") {
      if (id !== undefined) onPhone.delete(id);
      return says(200, "success");
    }
    count += 1;
    onPhone.set(id ?? `n${count}`, readBark({ body: "Empty Message", ...text }));
    return says(200, "success");
  };
  const server = await startHostileServer({
    "/push": (request, response) => {
      const behave = refusal ?? push(JSON.parse(server.requests.at(-1)?.body ?? ""));
      refusal = undefined;
      behave(request, response);
    },
  });
  const clear = async () => onPhone.clear();
  return {
    settings: { server: server.origin, deviceKey: canary, whenResolved: "delete" },
    standing: async () => [...onPhone.values()],
    removeAll: clear,
    beginAnew: clear,
    refuseNext() {
      refusal = says(500, "push failed: Post: dial tcp: i/o timeout");
    },
    close: () => server.close(),
  };
}

/** A message as its reader sees it. */
export function readBark({ title, body = "" }: Pick<Push, "title" | "body">): Reading {
  return title === undefined ? { title: body, body: "" } : { title, body };
}
