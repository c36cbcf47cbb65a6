import { expect, test } from "vitest";
import { catchFailure } from "../world/service/client.ts";
import { startStrangeService, users, usersPage } from "./strange-service.ts";

const session = { sessionId: "s", status: "idle", messageCount: 0, createdAt: 1, updatedAt: 1 };

test("extraBody adds fields at every depth", async () => {
  const service = await startStrangeService(() => ({ status: 201, body: session }));
  const settings = { computerId: "c1", sessionSettings: { model: "m" } };
  const extraBody = { brandNew: true, sessionSettings: { brandNew: 7 } };
  await service.client().sessions.create(settings, { extraBody, extraQuery: { dryRun: true } });
  const [request] = service.requests;
  expect(JSON.parse(request?.body ?? "")).toEqual({
    ...{ computerId: "c1", brandNew: true, sessionSettings: { model: "m", brandNew: 7 } },
  });
  expect(request?.url.search).toBe("?dryRun=true");
});

test("extraQuery is sent with every page of a list", async () => {
  const service = await startStrangeService((_, count) =>
    usersPage(users(count, 1), count < 3 ? `c${count}` : undefined),
  );
  await service
    .client()
    .users.list({}, { extraQuery: { team: "a&b" } })
    .all();
  expect(service.requests.map(({ url }) => url.search)).toEqual([
    "?limit=100&team=a%26b",
    "?limit=100&cursor=c1&team=a%26b",
    "?limit=100&cursor=c2&team=a%26b",
  ]);
});

test.each([
  ["a parameter of the call", { extraQuery: { cursor: "x" } }, "extraQuery"],
  ["a body without a body", { extraBody: { name: "x" } }, "extraBody"],
  ["a text", { extraQuery: "x" as never }, "extraQuery"],
])("%s is refused before anything is sent", async (_, options, parameter) => {
  const service = await startStrangeService(() => usersPage([]));
  const error = await catchFailure(service.client().users.list({}, options).page());
  expect(error).toMatchObject({ name: "ArgumentError", parameter });
  expect(service.requests).toEqual([]);
});
