import { answer, type Behaviour, startHostileServer } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json" };

interface Push extends Reading {
  readonly guid?: string;
  dismissed: boolean;
}

const fault = (status: number, type: string): Behaviour =>
  answer(status, json, JSON.stringify({ error: { type, message: "The resource could not be found.", cat: "(=^‥^)" } }));

/**
 * Pushbullet with one account, whose devices show the pushes that are not dismissed. The same `guid` is the same push.
 * https://docs.pushbullet.com/#update-push
 */
export async function startPushbulletServer(): Promise<ChangeWorld> {
  const pushes = new Map<string, Push>();
  let count = 0;
  let refusal: Behaviour | undefined;
  const create = ({ title, body, guid }: Push): Behaviour => {
    const known = [...pushes].find(([, push]) => guid !== undefined && push.guid === guid && !push.dismissed)?.[0];
    if (known === undefined) count += 1;
    const iden = known ?? `ubdpjxxxOK0s${count}`;
    pushes.set(iden, { title, body, ...(guid !== undefined && { guid }), dismissed: false });
    return answer(200, json, JSON.stringify({ iden, active: true, dismissed: false }));
  };
  const update = (iden: string, { dismissed }: Partial<Push>): Behaviour => {
    const push = pushes.get(iden);
    if (!push) return fault(404, "invalid_request");
    push.dismissed = dismissed === true;
    return answer(200, json, JSON.stringify({ iden, active: true, dismissed }));
  };
  const server = await startHostileServer({
    "*": (request, response) => {
      const { method = "", path = "", body = "", headers } = server.requests.at(-1) ?? {};
      const [, iden] = (method === "POST" && /^\/v2\/pushes(?:\/(\w+))?$/.exec(path)) || [];
      const act = () => (iden === undefined ? create(JSON.parse(body)) : update(iden, JSON.parse(body)));
      const behave = refusal ?? (headers?.["access-token"] === canary ? act() : fault(401, "invalid_access_token"));
      refusal = undefined;
      behave(request, response);
    },
  });
  const clear = async () => pushes.clear();
  return {
    settings: { server: server.origin, token: canary },
    standing: async () => {
      const shown = [...pushes.values()].filter(({ dismissed }) => !dismissed);
      return shown.map(({ title, body }) => ({ title, body }));
    },
    removeAll: clear,
    beginAnew: clear,
    refuseNext() {
      refusal = fault(401, "invalid_access_token");
    },
    close: () => server.close(),
  };
}
