import { answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

interface Push {
  readonly device_key: string;
  readonly title?: string;
  readonly body?: string;
  readonly id?: string;
  readonly delete?: string;
}

/** Makes the server's answer to a push. */
export const says = (status: number, message: string): Behaviour => answerJson(status, { code: status, message });

/**
 * Starts a Bark server and a phone with its app, both of which track ids. The server gives a push without text a
 * default text; the app expects `delete` as a text. https://github.com/Finb/bark-server/blob/master/route_push.go
 */
export async function startBarkServer(): Promise<ChangeWorld> {
  const onPhone = new Map<string, Reading>();
  let count = 0;
  const reply = ({ body }: Captured): Behaviour => {
    const { device_key, id, delete: isDelete, ...text }: Push = JSON.parse(body);
    if (device_key !== canary) return says(400, "failed to get device token: not found");
    if (isDelete === "1") {
      if (id !== undefined) onPhone.delete(id);
      return says(200, "success");
    }
    count += 1;
    onPhone.set(id ?? `n${count}`, readBark({ body: "Empty Message", ...text }));
    return says(200, "success");
  };
  const refusal = says(500, "push failed: Post: dial tcp: i/o timeout");
  const server = await startRuledServer({ reply, refusal, clear: () => onPhone.clear() });
  return {
    ...server,
    settings: { server: server.origin, deviceKey: canary, whenResolved: "delete" },
    listActive: async () => [...onPhone.values()],
  };
}

/** Reads a message as a person would see it. */
export function readBark({ title, body = "" }: Pick<Push, "title" | "body">): Reading {
  return title === undefined ? { title: body, body: "" } : { title, body };
}
