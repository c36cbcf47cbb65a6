import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { dropNulls } from "../../src/service/drop-nulls.ts";
import { openObject } from "../../src/service/schemas/open.ts";
import { failureOf } from "../world/service/client.ts";
import { hostileClient, jsonReply, lastPage, startHostileService } from "../world/service/hostile-service.ts";

const schema = openObject({
  name: z.string(),
  title: z.string().optional(),
  next: z.string().nullish(),
  inner: openObject({ deep: z.number().optional() }).optional(),
  list: z.array(openObject({ id: z.string().optional() })).optional(),
  map: z.record(z.string(), openObject({ id: z.string().optional() })).optional(),
});

test.each([
  ["an optional field", { name: "a", title: null }, { name: "a" }],
  ["optional fields deep inside", { name: "a", inner: { deep: null } }, { name: "a", inner: {} }],
  [
    "optional fields in lists and maps",
    { name: "a", list: [{ id: null }], map: { x: { id: null } } },
    { name: "a", list: [{}], map: { x: {} } },
  ],
])("a null in %s is absent", (_, value, expected) => {
  expect(schema.parse(dropNulls(schema, value))).toEqual(expected);
});

test("a null that the API allows, in a required field, or in an unknown one stays", () => {
  const value = { name: null, next: null, unknown: null, list: [null] };
  expect(dropNulls(schema, value)).toEqual(value);
});

test("a value without nulls, of any shape, stays as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes("null") && !JSON.stringify(value).includes("__proto__"));
      expect(dropNulls(schema, value)).toEqual(value);
    }),
  );
});

test("a client gets sessions and users whose optional fields are null", async () => {
  const session = { sessionId: "s", title: null, computerId: null, completedAt: null, sessionSettings: null };
  const sessions = await startHostileService(jsonReply({ sessions: [session], pagination: lastPage }));
  expect(await hostileClient(sessions.origin).sessions.list().all()).toEqual([{ sessionId: "s" }]);
  const users = await startHostileService(jsonReply({ users: [{ id: "u", email: null }], pagination: lastPage }));
  expect(await hostileClient(users.origin).users.list().all()).toEqual([{ id: "u" }]);
  const nameless = await startHostileService(jsonReply({ users: [{ id: null }], pagination: lastPage }));
  expect(await failureOf(hostileClient(nameless.origin).users.list().all())).toMatchObject({ name: "ParseError" });
});
