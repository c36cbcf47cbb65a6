import { answer, type Behaviour, startHostileServer } from "../world/hostile-server.ts";
import type { ReactionWorld } from "./contract/describe-reactions.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json" };
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

const says = (status: number, body: object): Behaviour => answer(status, json, JSON.stringify(body));
const fault = (errors: string): Behaviour => says(400, { errors: [errors], status: 0 });
const notFound = says(404, {
  receipt: "not found",
  errors: ["receipt not found; may be invalid or expired"],
  status: 0,
});

/**
 * Pushover with one application and one phone, which rings for emergencies until each is acknowledged or cancelled:
 * these stand here, since everything else stays on the phone as it came. https://pushover.net/api/receipts
 */
export async function startPushoverServer(): Promise<ReactionWorld> {
  const emergencies = new Map<string, Emergency>();
  let count = 0;
  let refusal: Behaviour | undefined;
  const push = (pushed: Pushed): Behaviour => {
    if (pushed.priority !== 2) return says(200, { status: 1, request: "r" });
    const { retry = 0, expire = 0 } = pushed;
    if (retry < 30 || expire === 0 || expire > 10_800) return fault("retry or expire is invalid");
    count += 1;
    const receipt = `r${String(count).padStart(29, "0")}`;
    emergencies.set(receipt, { reading: readPushover(pushed), isRinging: true, isAcknowledged: false });
    return says(200, { status: 1, request: "r", receipt });
  };
  const ask = (receipt: string, isCancel: boolean): Behaviour => {
    const emergency = emergencies.get(receipt);
    if (!emergency) return notFound;
    if (isCancel) emergency.isRinging = false;
    const acknowledged = Number(emergency.isAcknowledged);
    return says(200, { status: 1, request: "r", ...(!isCancel && { acknowledged, expired: 0 }) });
  };
  const behaviourFor = (method: string, path: string, body: string): Behaviour => {
    const { pathname, searchParams } = new URL(path, "http://x");
    const [, receipt = "", cancel] = /^\/1\/receipts\/(\w+)(\/cancel)?\.json$/.exec(pathname) ?? [];
    const given = method === "GET" ? searchParams.get("token") : JSON.parse(body).token;
    if (given !== token) return says(400, { token: "invalid", errors: ["application token is invalid"], status: 0 });
    if (method === "POST" && pathname === "/1/messages.json") return push(JSON.parse(body));
    const isRight = method === (cancel === undefined ? "GET" : "POST") && receipt !== "";
    return isRight ? ask(receipt, cancel !== undefined) : answer(404);
  };
  const server = await startHostileServer({
    "*": (request, response) => {
      const { method = "", path = "", body = "" } = server.requests.at(-1) ?? {};
      const behave = refusal ?? behaviourFor(method, path, body);
      refusal = undefined;
      behave(request, response);
    },
  });
  const ringing = () => [...emergencies.values()].filter(({ isRinging }) => isRinging);
  const clear = async () => emergencies.clear();
  return {
    settings: { server: server.origin, token, user: `${canary}2`, emergency: true },
    standing: async () => ringing().map(({ reading }) => reading),
    async press(body) {
      const pressed = ringing().find(({ reading }) => reading.body === body);
      if (pressed) Object.assign(pressed, { isAcknowledged: true, isRinging: false });
    },
    async disturb() {
      count += 1;
      const reading = { title: "", body: "another message of the application's" };
      emergencies.set(`s${count}`, { reading, isRinging: false, isAcknowledged: true });
    },
    removeAll: clear,
    beginAnew: clear,
    refuseNext() {
      refusal = answer(429, json, '{"errors":["too many requests"],"status":0}');
    },
    close: () => server.close(),
  };
}

/** A message as its reader sees it. */
export function readPushover({ title, message }: Pick<Pushed, "title" | "message">): Reading {
  return title === undefined ? { title: message, body: "" } : { title, body: message };
}
