import { createServer, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import { ServiceClient, type ServiceClientOptions } from "../../src/service.ts";
import { type CliResult, createCliHome } from "../world/cli-home.ts";
import { listen } from "../world/listen.ts";

/** A service written from the API document alone, not from the sandbox; each test says how it misbehaves. */

export const key = "strange-key-4c81f0";
/** Noon, UTC; the latest day with data is 2026-06-14. */
const nowMs = Date.UTC(2026, 5, 15, 12);

/** Request as the service received it. */
interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Reply: a status, and a body that is sent as JSON unless it is a buffer. */
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Starts a service until the end of the test. @param answer answers request number `count`, from 1 */
export async function startStrangeService(answer: (request: Received, count: number) => Reply) {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://service");
    const { method = "", headers: sent } = request;
    const received = { method, url, headers: sent, body: String(Buffer.concat(chunks)) };
    requests.push(received);
    const { status = 200, headers, body } = answer(received, requests.length);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  const origin = `http://${await listen(server)}`;
  return {
    origin,
    requests,
    /** Makes a client that does not wait between attempts. */
    client(options: Partial<ServiceClientOptions> = {}): ServiceClient {
      const credentials = options.jwt === undefined ? { apiKey: key } : {};
      const tuning = { now: () => nowMs, sleep: async () => {}, maxRetries: 0 };
      const addresses = { baseUrl: origin, appUrl: origin };
      return new ServiceClient({ ...addresses, ...credentials, ...tuning, ...options } as ServiceClientOptions);
    },
    /** Runs `beckon service …` in this process. */
    run(line: string, changes: NodeJS.ProcessEnv = { BECKON_API_KEY: key }): Promise<CliResult> {
      const home = createCliHome();
      onTestFinished(() => home.remove());
      const env = { ...home.env, BECKON_BASE_URL: origin, BECKON_APP_URL: origin, ...changes };
      const environment = { ...home.environment, env };
      return home.run(["service", ...line.split(" ")], { environment, now: () => nowMs, sleep: async () => {} });
    },
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Makes users with the ids `u<from>` and so on, as in section 2.8 of the API document. */
export const users = (from: number, count: number) =>
  range(count).map((index) => ({
    ...{ id: `u${from + index}`, email: `u${from + index}@example.com`, createdAt: "2026-01-01", metadata: {} },
    ...{ firstName: "User", lastName: String(from + index), lastSignInAt: "2026-06-01T00:00:00Z" },
  }));

/** Makes a page of users, with the cursor of the next page if there is one. */
export const usersPage = (items: readonly unknown[], nextCursor?: string) => ({
  body: { users: items, pagination: nextCursor === undefined ? { hasMore: false } : { hasMore: true, nextCursor } },
});

/** Makes readiness reports with the ids `r<from>` and so on, as in section 2.3. */
export const reports = (from: number, count: number) =>
  range(count).map((index) => ({
    ...{ reportId: `r${from + index}`, createdAt: nowMs, repoUrl: "https://git.example.com/shop" },
    ...{ apps: { ".": { description: "Shop" } }, report: {} },
  }));

/**
 * Makes changes of the settings, newest first, as in section 2.4. Each revision sets `sessionRetentionDays` to its
 * number.
 */
export const changes = (newest: number, count: number) =>
  range(count).map((index) => ({
    ...{ revision: newest - index, settings: { sessionRetentionDays: newest - index } },
    ...{ user: { id: "u1", email: "u1@example.com", name: "User 1" }, updatedAt: "2026-06-01T10:00:00Z" },
  }));

/** Makes the productivity of the requested days, as in sections 2.1 and 2.2. */
export const productivity = ({ searchParams }: URL) => {
  const [first = "", last = ""] = ["startDate", "endDate"].map((name) => searchParams.get(name) ?? "");
  const count = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
  const dates = range(count).map((index) =>
    new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10),
  );
  const counts = { files_created: 1, files_edited: 2, git_commits: 3, git_prs_created: 4 };
  const data = dates.map((date) => ({ date, by_extension: [], by_language: [], ...counts }));
  return { data, meta: { org_id: "org", start_date: first, end_date: last } };
};
