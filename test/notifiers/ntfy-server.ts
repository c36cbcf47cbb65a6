import { answer, answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ReactionWorld } from "./contract/describe-reactions.ts";
import { canary, type Reading, readTitled } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

const topic = "agents";
const seenTopic = "agents-seen";
/** Seconds by which the server's clock is behind. */
const slowSeconds = 86_400;

/** An ntfy server, and its requests other than publishing, such as `PUT /agents/…/clear`. */
export interface NtfyServer extends ReactionWorld {
  readonly changes: readonly string[];
  /** Messages that the server keeps to ring later, with their delays. */
  kept(): readonly (Reading & { readonly delay: string })[];
  /** Delivers the kept messages. */
  ringKept(): void;
}

interface Published {
  readonly title?: string;
  readonly message: string;
  readonly sequence_id?: string;
  readonly delay?: string;
  readonly actions?: readonly { url: string; method?: string; body?: string; clear?: boolean; headers?: object }[];
}

const changeEvents: Readonly<Record<string, string>> = { "DELETE ": "message_delete", "PUT clear": "message_clear" };

const fault = (status: number, code: number): Behaviour => answerJson(status, { code, http: status });

/**
 * Starts a server with a protected topic, an app on a phone that reads the topic, and a topic that everybody can write
 * to. Messages and changes are only ever appended, so an unknown sequence can be cleared and deleted too.
 * https://docs.ntfy.sh/publish/#updating-deleting-notifications
 * @param isOld true for versions before 2.16, which lack sequences
 */
export async function startNtfyServer({ isOld = false, settings = {} } = {}): Promise<NtfyServer> {
  const onPhone = new Map<string, Published>();
  const later = new Map<string, Published>();
  const posted: { readonly time: number; readonly message: string }[] = [];
  const changes: string[] = [];
  let count = 0;
  const nowSeconds = () => Math.floor(Date.now() / 1_000) - slowSeconds;
  const publish = (body: string): Behaviour => {
    const published = JSON.parse(body) as Published;
    const { sequence_id, delay } = published;
    count += 1;
    const sent = { id: `m${count}`, time: nowSeconds(), event: "message", topic };
    if (sequence_id !== undefined && !/^[-_A-Za-z0-9]{1,64}$/.test(sequence_id)) return fault(400, 40_049);
    if (delay !== undefined && !/^\d{2,6}s$/.test(delay)) return fault(400, 40_005);
    const isKnown = !isOld && sequence_id !== undefined;
    (delay === undefined ? onPhone : later).set(isKnown ? sequence_id : sent.id, published);
    return answerJson(200, isKnown ? { ...sent, sequence_id } : sent);
  };
  const change = (method: string, path: string): Behaviour => {
    const [, name, sequence = "", verb] = path.split("/");
    const event = changeEvents[`${method} ${verb ?? ""}`];
    if (isOld || event === undefined || name !== topic) return fault(404, 40_401);
    changes.push(`${method} ${path}`);
    onPhone.delete(sequence);
    if (event === "message_delete") later.delete(sequence);
    return answerJson(200, { id: "c1", event, topic, sequence_id: sequence });
  };
  const readSeen = (since: string | null): Behaviour => {
    const lines = posted.filter(({ time }) => time >= Number(since));
    const line = (message: object) =>
      `${JSON.stringify({ id: "s1", event: "message", topic: seenTopic, ...message })}\n`;
    return answer(200, { "content-type": "application/x-ndjson" }, lines.map(line).join(""));
  };
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (method === "POST" && path === `/${seenTopic}`) {
      posted.push({ time: nowSeconds(), message: body });
      return answerJson(200, { id: "s1" });
    }
    if (headers.authorization !== `Bearer ${canary}`) return fault(401, 40_101);
    const { pathname, searchParams } = new URL(path, "http://x");
    if (pathname === `/${seenTopic}/json` && searchParams.get("poll") === "1")
      return readSeen(searchParams.get("since"));
    return method === "POST" && path === "/" ? publish(body) : change(method, path);
  };
  const server = await startRuledServer({ reply, refusal: fault(429, 42_901), clear: () => onPhone.clear() });
  const post = (body: string) => fetch(`${server.origin}/${seenTopic}`, { method: "POST", body });
  return {
    ...server,
    settings: { server: server.origin, topic, token: canary, ...settings },
    changes,
    kept: () => [...later.values()].map((message) => ({ ...readTitled(message), delay: message.delay ?? "" })),
    ringKept() {
      for (const [sequence, published] of later) onPhone.set(sequence, published);
      later.clear();
    },
    listActive: async () => [...onPhone.values()].map(readTitled),
    async press(text) {
      const [sequence, { actions = [] } = {}] =
        [...onPhone].find(([, message]) => readTitled(message).body === text) ?? [];
      const [{ url, method = "POST", body = "", clear: isCleared, headers } = { url: "" }] = actions;
      // The app has no login for a button's request, and a message must not contain one.
      if (headers === undefined) await fetch(url, { method, body });
      if (isCleared && sequence !== undefined) onPhone.delete(sequence);
    },
    async disturb() {
      for (const text of [`${"0".repeat(32)}-0`, "", "seen", '{"message":"x"}', "x\ny", "👩‍👩‍👧‍👦".repeat(200)])
        await post(text);
    },
  };
}
