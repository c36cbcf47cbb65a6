import { answer, type Behaviour, startHostileServer } from "../hostile-server.ts";
import type { ChangeWorld } from "./describe-changes.ts";
import { canary, type Reading } from "./notifier-case.ts";

const json = { "content-type": "application/json" };
const topic = "agents";

/** An ntfy server, and what it was asked for besides publishing, as `PUT /agents/…/clear`. */
export interface NtfyServer extends ChangeWorld {
  readonly changes: readonly string[];
}

interface Published {
  readonly title?: string;
  readonly message: string;
  readonly sequence_id?: string;
}

const changeEvents: Readonly<Record<string, string>> = { "DELETE ": "message_delete", "PUT clear": "message_clear" };

const fault = (status: number, code: number): Behaviour => answer(status, json, JSON.stringify({ code, http: status }));

/**
 * A server with one protected topic, and an app on a phone that reads it. Messages and changes are only ever appended, so
 * that a sequence nobody knows can be cleared and deleted too. https://docs.ntfy.sh/publish/#updating-deleting-notifications
 * @param isOld whether it is older than 2.16, which knows no sequences
 */
export async function startNtfyServer({ isOld = false, settings = {} } = {}): Promise<NtfyServer> {
  const onPhone = new Map<string, Published>();
  const changes: string[] = [];
  let count = 0;
  let refusal: Behaviour | undefined;
  const publish = (body: string): Behaviour => {
    const published = JSON.parse(body) as Published;
    const { sequence_id } = published;
    count += 1;
    const id = `m${count}`;
    if (isOld || sequence_id === undefined) {
      onPhone.set(id, published);
      return answer(200, json, JSON.stringify({ id, event: "message", topic }));
    }
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(sequence_id)) return fault(400, 40_049);
    onPhone.set(sequence_id, published);
    return answer(200, json, JSON.stringify({ id, event: "message", topic, sequence_id }));
  };
  const behaviourFor = (method: string, path: string, body: string): Behaviour => {
    if (method === "POST" && path === "/") return publish(body);
    const [, name, sequence = "", verb] = path.split("/");
    const event = changeEvents[`${method} ${verb ?? ""}`];
    if (isOld || event === undefined || name !== topic) return fault(404, 40_401);
    changes.push(`${method} ${path}`);
    onPhone.delete(sequence);
    return answer(200, json, JSON.stringify({ id: "c1", event, topic, sequence_id: sequence }));
  };
  const server = await startHostileServer({
    "*": (request, response) => {
      const { method = "", path = "", body = "", headers } = server.requests.at(-1) ?? {};
      const refused = headers?.authorization === `Bearer ${canary}` ? refusal : fault(401, 40_101);
      refusal = undefined;
      (refused ?? behaviourFor(method, path, body))(request, response);
    },
  });
  const clear = async () => onPhone.clear();
  return {
    settings: { server: server.origin, topic, token: canary, ...settings },
    changes,
    standing: async () => [...onPhone.values()].map(readNtfy),
    removeAll: clear,
    beginAnew: clear,
    refuseNext() {
      refusal = fault(429, 42_901);
    },
    close: () => server.close(),
  };
}

/** A message as its reader sees it. */
export function readNtfy({ title, message }: Published): Reading {
  return title === undefined ? { title: message, body: "" } : { title, body: message };
}
