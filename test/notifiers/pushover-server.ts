import { answer, answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ReactionWorld } from "./contract/describe-reactions.ts";
import { canary, type Reading, readTitled } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

const token = `${canary}1`;

interface Pushed {
  readonly token: string;
  readonly title?: string;
  readonly message: string;
  readonly priority: number;
  readonly retry?: number;
  readonly expire?: number;
}

interface Emergency {
  readonly reading: Reading;
  isRinging: boolean;
  isAcknowledged: boolean;
}

const fault = (status: number, error: string, more = {}): Behaviour =>
  answerJson(status, { ...more, errors: [error], status: 0 });

/**
 * Starts Pushover with one application and one phone, which rings for emergencies until they are acknowledged or
 * cancelled. Only emergencies are listed, because other messages stay on the phone unchanged.
 * https://pushover.net/api/receipts
 */
export async function startPushoverServer(): Promise<ReactionWorld> {
  const emergencies = new Map<string, Emergency>();
  let count = 0;
  const push = (pushed: Pushed): Behaviour => {
    if (pushed.priority !== 2) return answerJson(200, { status: 1, request: "r" });
    const { retry = 0, expire = 0 } = pushed;
    if (retry < 30 || expire === 0 || expire > 10_800) return fault(400, "retry or expire is invalid");
    count += 1;
    const receipt = `r${String(count).padStart(29, "0")}`;
    emergencies.set(receipt, { reading: readTitled(pushed), isRinging: true, isAcknowledged: false });
    return answerJson(200, { status: 1, request: "r", receipt });
  };
  const ask = (receipt: string, isCancel: boolean): Behaviour => {
    const emergency = emergencies.get(receipt);
    if (!emergency) return fault(404, "receipt not found; may be invalid or expired", { receipt: "not found" });
    if (isCancel) emergency.isRinging = false;
    const acknowledged = Number(emergency.isAcknowledged);
    return answerJson(200, { status: 1, request: "r", ...(!isCancel && { acknowledged, expired: 0 }) });
  };
  const reply = ({ method, path, body }: Captured): Behaviour => {
    const { pathname, searchParams } = new URL(path, "http://x");
    const [, receipt = "", cancel] = /^\/1\/receipts\/(\w+)(\/cancel)?\.json$/.exec(pathname) ?? [];
    const given = method === "GET" ? searchParams.get("token") : JSON.parse(body).token;
    if (given !== token) return fault(400, "application token is invalid", { token: "invalid" });
    if (method === "POST" && pathname === "/1/messages.json") return push(JSON.parse(body));
    const isRight = method === (cancel === undefined ? "GET" : "POST") && receipt !== "";
    return isRight ? ask(receipt, cancel !== undefined) : answer(404);
  };
  const refusal = fault(429, "too many requests");
  const server = await startRuledServer({ reply, refusal, clear: () => emergencies.clear() });
  const ringing = () => [...emergencies.values()].filter(({ isRinging }) => isRinging);
  return {
    ...server,
    settings: { server: server.origin, token, user: `${canary}2`, emergency: true },
    listActive: async () => ringing().map(({ reading }) => reading),
    async press(body) {
      const pressed = ringing().find(({ reading }) => reading.body === body);
      if (pressed) Object.assign(pressed, { isAcknowledged: true, isRinging: false });
    },
    async disturb() {
      count += 1;
      const reading = { title: "", body: "another message of the application's" };
      emergencies.set(`s${count}`, { reading, isRinging: false, isAcknowledged: true });
    },
  };
}
