import { answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

interface Push extends Reading {
  readonly guid?: string;
  dismissed: boolean;
}

const fault = (status: number, type: string): Behaviour =>
  answerJson(status, { error: { type, message: "The resource could not be found.", cat: "(=^‥^)" } });

/**
 * Starts Pushbullet with one account, whose devices show the pushes that are not dismissed. Pushes with the same `guid`
 * are the same push. https://docs.pushbullet.com/#update-push
 */
export async function startPushbulletServer(): Promise<ChangeWorld> {
  const pushes = new Map<string, Push>();
  let count = 0;
  const create = ({ title, body, guid }: Push): Behaviour => {
    const known = [...pushes].find(([, push]) => guid !== undefined && push.guid === guid && !push.dismissed)?.[0];
    if (known === undefined) count += 1;
    const iden = known ?? `ubdpjxxxOK0s${count}`;
    pushes.set(iden, { title, body, ...(guid !== undefined && { guid }), dismissed: false });
    return answerJson(200, { iden, active: true, dismissed: false });
  };
  const update = (iden: string, { dismissed }: Partial<Push>): Behaviour => {
    const push = pushes.get(iden);
    if (!push) return fault(404, "invalid_request");
    push.dismissed = dismissed === true;
    return answerJson(200, { iden, active: true, dismissed });
  };
  const refusal = fault(401, "invalid_access_token");
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (headers["access-token"] !== canary) return refusal;
    const [, iden] = (method === "POST" && /^\/v2\/pushes(?:\/(\w+))?$/.exec(path)) || [];
    return iden === undefined ? create(JSON.parse(body)) : update(iden, JSON.parse(body));
  };
  const server = await startRuledServer({ reply, refusal, clear: () => pushes.clear() });
  return {
    ...server,
    settings: { server: server.origin, token: canary },
    listActive: async () => {
      const shown = [...pushes.values()].filter(({ dismissed }) => !dismissed);
      return shown.map(({ title, body }) => ({ title, body }));
    },
  };
}
