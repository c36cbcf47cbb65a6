import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerptOf } from "../../src/service/excerpt.ts";
import type { ParseError, ServiceClient } from "../../src/service.ts";
import { answer, htmlPage } from "../world/hostile-server.ts";
import { failureOf } from "../world/service/client.ts";
import {
  apiKey,
  expectNoSecret,
  hostileClient,
  jsonReply,
  lastPage,
  startHostileService,
  statusReply,
  textsOf,
} from "../world/service/hostile-service.ts";

const users = (client: ServiceClient) => client.users.list().page();
const install = (client: ServiceClient) => client.computers.installDeps("c1");
const failure = async (behaviour: Parameters<typeof startHostileService>[0], ask: (client: ServiceClient) => unknown) =>
  failureOf(Promise.resolve(ask(hostileClient((await startHostileService(behaviour)).origin, { apiKey }))));

describe("a ParseError", () => {
  test("says which request failed, how, and shows the row", async () => {
    const rows = [{ id: "u1" }, { id: "u2", email: 7, apiKey: "sk-canary", note: apiKey }];
    const body = JSON.stringify({ users: rows, pagination: lastPage });
    const error = await failure(answer(200, { "x-request-id": "req_5" }, body), users);
    expect(error).toMatchObject({
      name: "ParseError",
      status: 200,
      requestId: "req_5",
      method: "GET",
      path: "/api/v0/organization/users",
      excerpt: '{"id":"u2","email":7,"apiKey":"[secret]","note":"[secret]"}',
    });
    expect(textsOf(error)).not.toContain("canary");
    expectNoSecret(error);
  });

  test.each([
    ["text", answer(200, {}, "all is well\n\u001b[31mnow"), "all is well now"],
    ["a page", htmlPage, "<!doctype html><title>Please log in</title>"],
    ["nothing", answer(200, {}, ""), undefined],
  ])("shows the beginning of %s", async (_, behaviour, excerpt) => {
    expect(((await failure(behaviour, users)) as ParseError).excerpt).toBe(excerpt);
  });

  test.each([
    ["after a reply that does not fit", jsonReply({ id: 7 })],
    ["after text", answer(200, {}, "ok")],
    ["after nothing", answer(204)],
    ["after a page", htmlPage],
  ])("%s to a POST says that the request may have taken effect", async (_, behaviour) => {
    const error = await failure(behaviour, install);
    expect(error).toMatchObject({ name: "ParseError", method: "POST", path: "/api/v0/computers/c1/install-deps" });
    expect(error).toMatchObject({ hint: expect.stringMatching(/^It may have taken effect: check before you repeat/) });
    expect(await failure(behaviour, users)).toMatchObject({ hint: expect.not.stringContaining("taken effect") });
  });

  test("blames the addresses for a web page alone", async () => {
    const blames = expect.stringMatching(/address|baseUrl/);
    expect(await failure(htmlPage, users)).toMatchObject({ hint: blames });
    for (const behaviour of [jsonReply({}), answer(200, {}, "ok"), answer(204), statusReply(500)]) {
      expect(await failure(behaviour, users)).toMatchObject({ hint: expect.not.stringMatching(/address|baseUrl/) });
    }
    const named = statusReply(404, { message: "No such computer." });
    expect(await failure(named, install)).toMatchObject({ hint: "Check the ids." });
  });
});

test.each([500, 502, 503])("a %s to a POST says that the request may have taken effect", async (status) => {
  const error = await failure(statusReply(status), install);
  expect(error).toMatchObject({ name: "ServerError", hint: expect.stringMatching(/^It may have taken effect/) });
  expect(await failure(statusReply(status), users)).toMatchObject({ hint: expect.stringMatching(/^Try again later/) });
});

describe("an error of the service", () => {
  test.each([
    ["{title, detail}", { title: "Bad Request", detail: "Limit." }, { title: "Bad Request", detail: "Limit." }],
    ["{message}", { message: "Limit." }, { detail: "Limit." }],
    ["{error}", { error: "Limit." }, { detail: "Limit." }],
    ["{error: {message}}", { error: { message: "Limit.", request_id: "r1" } }, { detail: "Limit.", requestId: "r1" }],
    ["{error, message}", { error: "Bad Request", message: "Limit." }, { title: "Bad Request", detail: "Limit." }],
    ["{errors: [{message}]}", { errors: [{ message: "Limit." }] }, { detail: "Limit." }],
    ["{errors: [text]}", { errors: ["Limit."], request_id: "r2" }, { detail: "Limit.", requestId: "r2" }],
  ])("in the shape %s is read", async (_, body, expected) => {
    const error = await failure(statusReply(400, body), users);
    expect(error).toMatchObject({ name: "BadRequestError", ...expected });
    expect(error).not.toHaveProperty("excerpt");
  });

  test.each([
    ["JSON", JSON.stringify({ why: "no", token: "canary" }), '{"why":"no","token":"[secret]"}'],
    ["text", "no such route", "no such route"],
  ])("in another shape is shown as it is: %s", async (_, body, excerpt) => {
    const error = await failure(answer(400, {}, body), users);
    expect(error).toMatchObject({ name: "BadRequestError", status: 400, excerpt });
  });
});

test("a row that does not match the API is left out where the caller takes it", async () => {
  const rows = [{ id: "u1" }, { id: "u2", email: 7 }, null, { id: "u4", email: null }];
  const server = await startHostileService(jsonReply({ users: rows, pagination: lastPage }));
  const invalid: ParseError[] = [];
  const onInvalidRow = (error: ParseError) => void invalid.push(error);
  const list = hostileClient(server.origin).users.list({}, { onInvalidRow });
  expect(await list.all()).toEqual([{ id: "u1" }, { id: "u4" }]);
  expect(invalid.map(({ message, excerpt }) => [message.replace(/.*, at /, ""), excerpt])).toEqual([
    [expect.stringMatching(/^users\[1\]\.email: /), '{"id":"u2","email":7}'],
    [expect.stringMatching(/^users\[2\]: /), "null"],
  ]);
  const broken = await startHostileService(jsonReply({ users: rows }));
  const failed = hostileClient(broken.origin).users.list({}, { onInvalidRow }).all();
  expect(await failureOf(failed)).toMatchObject({ name: "ParseError" });
});

test("an excerpt is one short line without the key, whatever the body is", () => {
  const redact = (text: string) => text.replaceAll(apiKey, "[secret]");
  const body = fc.array(
    fc.oneof(
      fc.string({ unit: "binary" }).map((text) => text.replace(/"/g, "")),
      fc.constant(apiKey),
      fc.constant('{"token":"canary"}'),
    ),
  );
  fc.assert(
    fc.property(body, (parts) => {
      const excerpt = excerptOf(parts.join(""), redact) ?? "";
      expect(excerpt.length).toBeLessThanOrEqual(500);
      expect(excerpt).not.toContain(apiKey);
      expect(excerpt).not.toMatch(/[\n\r\u001b]|canary/);
    }),
  );
});
