import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/service.ts";
import { all, clientOf, failureOf, openSandbox } from "../world/service/client.ts";
import { serviceAnswering } from "../world/service/hostile-service.ts";

/** Lists whose service says that there is more and does not say where: nothing incomplete passes as complete. */

describe("a list", () => {
  const user = (id: string) => ({ id });
  const circle: Readonly<Record<string, string>> = { "": "x", x: "y", y: "x" };
  /** A list of users, one a page, with this `pagination`, and the pages asked for. */
  const usersWith = async (pagination: (at: string) => object) => {
    const asked: string[] = [];
    const server = await serviceAnswering("/api/v0/organization/users", (url) => {
      const at = url.searchParams.get("cursor") ?? "";
      asked.push(at);
      return { users: [user(`u${asked.length}`)], pagination: pagination(at) };
    });
    return { list: clientOf(server).users.list(), asked };
  };

  describe.each([
    ["that says there is more and names no cursor", "missing cursor", 1, () => ({ hasMore: true })],
    ["whose cursor is null", "missing cursor", 1, () => ({ hasMore: true, nextCursor: null })],
    ["whose cursor is empty", "empty cursor", 1, () => ({ hasMore: true, nextCursor: "" })],
    ["whose cursor is always the same", "repeated cursor", 2, () => ({ hasMore: true, nextCursor: "x" })],
    ["whose cursors go in a circle", "repeated cursor", 3, (at: string) => ({ hasMore: true, nextCursor: circle[at] })],
  ] as const)("%s", (_, reason, pages, pagination) => {
    const rows = Array.from({ length: pages }, (_unused, n) => user(`u${n + 1}`));
    const incomplete = { name: "IncompleteError", reason, rows, count: pages, pages };

    test("throws what came, after the last item", async () => {
      const { list, asked } = await usersWith(pagination);
      const seen: unknown[] = [];
      const walk = async (): Promise<void> => {
        for await (const one of list) seen.push(one);
      };
      const error = await failureOf(walk());
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ ...incomplete, message: expect.stringContaining("there are more") });
      expect([seen, asked.length]).toEqual([rows, pages]);
    });

    test("fails in all() and in take() of more than came, not of less", async () => {
      const { list } = await usersWith(pagination);
      expect(await failureOf(list.all())).toMatchObject({ name: "IncompleteError", reason, count: pages, pages });
      expect(await failureOf(list.take(pages + 1))).toMatchObject({ name: "IncompleteError", reason, pages });
      expect(await list.take(pages)).toHaveLength(pages);
    });

    test("says so on its last page", async () => {
      const { list } = await usersWith(pagination);
      const ends = (await all(list.pages())).map(({ incomplete: why, next }) => [why, next === undefined]);
      expect(ends).toEqual([...rows.slice(1).map(() => [undefined, false]), [reason, true]]);
    });
  });

  test("that names a cursor and says there is no more is complete", async () => {
    const { list, asked } = await usersWith(() => ({ hasMore: false, nextCursor: "x" }));
    expect([(await list.all()).length, asked.length, (await list.page()).incomplete]).toEqual([1, 1, undefined]);
  });

  test("asked for its first items requests no more pages than they need, and no larger ones", async () => {
    const sandbox = await openSandbox();
    const users = clientOf(sandbox).users;
    for (const count of [0, 30, 130]) expect(await users.list().take(count)).toHaveLength(count);
    expect(sandbox.seen.map(({ url }) => url.searchParams.get("limit"))).toEqual(["30", "100", "100"]);
    expect(await failureOf(users.list().take(-1))).toMatchObject({ name: "ArgumentError", parameter: "count" });
  });

  test("goes on after an empty page", async () => {
    const pages: Readonly<Record<string, object>> = {
      "": { users: [], pagination: { hasMore: true, nextCursor: "x" } },
      x: { users: [user("late")], pagination: { hasMore: false } },
    };
    const server = await serviceAnswering(
      "/api/v0/organization/users",
      (url) => pages[url.searchParams.get("cursor") ?? ""] ?? {},
    );
    expect(await all(clientOf(server).users.list())).toEqual([user("late")]);
  });
});
