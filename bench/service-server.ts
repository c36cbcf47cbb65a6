/** Service for the bench, in its own process: 1,000 pages of 100 users, made in advance. Prints its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { userRow } from "../src/fake-service/analytics.ts";
import { makePerson } from "../src/fake-service/people.ts";

const pages = 1000;
const pageSize = 100;
const day = Date.UTC(2026, 5, 14) / 86_400_000;
const dates = { start_date: "2026-06-14", end_date: "2026-06-14" };

const byCursor = new Map<string | null, Buffer>();
let cursor: string | null = null;
for (let page = 0; page < pages; page += 1) {
  const data = Array.from({ length: pageSize }, (_, index) => userRow(makePerson(page * pageSize + index), day));
  const next: string | undefined = page === pages - 1 ? undefined : data.at(-1)?.user_id;
  const meta = { org_id: "org_bench", ...dates, has_more: next !== undefined, next_cursor: next };
  byCursor.set(cursor, Buffer.from(JSON.stringify({ data, meta })));
  cursor = next ?? null;
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://bench");
  const body = byCursor.get(searchParams.get("cursor")) ?? Buffer.from("{}");
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
server.listen(0, "127.0.0.1", () => {
  const bytes = [...byCursor.values()].reduce((sum, { length }) => sum + length, 0);
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, bytes }));
});
