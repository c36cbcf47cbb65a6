/**
 * Walks over 100,000 rows in its own process: `plain` with Node's HTTP client and `JSON.parse`, `client` with the service
 * client. Prints its cost.
 */
import { Agent, get } from "node:http";
import { ServiceClient } from "../src/service.ts";

const [how, port] = process.argv.slice(2);
const baseUrl = `http://127.0.0.1:${port}`;
const days = { startDate: "2026-06-14", endDate: "2026-06-14" };

interface Reply {
  readonly data: readonly { readonly tool_calls: number }[];
  readonly meta: { readonly next_cursor?: string };
}

const agent = new Agent({ keepAlive: true });
const headers = { accept: "application/json", authorization: "Bearer key-of-the-bench" };
function load(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

/** Does the minimum: the same requests over one kept connection, each body parsed, each row touched. */
async function plain(): Promise<number[]> {
  let [rows, calls] = [0, 0];
  let cursor: string | undefined;
  do {
    const url = new URL(`${baseUrl}/api/v1/analytics/users`);
    url.search = new URLSearchParams({ ...days, limit: "100", ...(cursor !== undefined && { cursor }) }).toString();
    const { data, meta } = JSON.parse(await load(url)) as Reply;
    for (const row of data) {
      rows += 1;
      calls += row.tool_calls;
    }
    cursor = meta.next_cursor;
  } while (cursor !== undefined);
  return [rows, calls];
}

async function client(): Promise<number[]> {
  let [rows, calls] = [0, 0];
  const users = new ServiceClient({ baseUrl, apiKey: "key-of-the-bench" }).analytics.users(days);
  for await (const row of users) {
    rows += 1;
    calls += row.tool_calls;
  }
  return [rows, calls];
}

const walks: Readonly<Record<string, () => Promise<number[]>>> = { plain, client };
const startCpu = process.cpuUsage();
const [rows, calls] = (await walks[how ?? ""]?.()) ?? [];
const { user, system } = process.cpuUsage(startCpu);
const cpuMs = (user + system) / 1000;
console.log(JSON.stringify({ rows, calls, cpuMs, peakMb: process.resourceUsage().maxRSS / 1024 }));
