import { createContext, runInContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { fakeService } from "../../src/service-testing.ts";
import { noonMs, yesterday } from "../world/service/client.ts";
import { bundleProgram, walkProgram } from "./browser-bundle.ts";

/** The built package in a bundle: without modules of Node, and only as large as what a program uses. */

/** Globals that browsers and edge runtimes have in addition to the language's own. */
const webGlobals = {
  ...{ AbortController, AbortSignal, DOMException, TextDecoder, TextEncoder, URL, URLSearchParams },
  ...{ atob, btoa, clearTimeout, performance, setTimeout },
};

describe("the client for fetch", () => {
  test("is bundled for a browser without a module of Node", async () => {
    const { code, inputs } = await bundleProgram(walkProgram);
    expect(code).not.toMatch(/["'`]node:/);
    expect(code).not.toMatch(/\bprocess\b|\bBuffer\b|\brequire\b/);
    expect(Object.keys(inputs).filter((file) => /proxy|node-notifier/.test(file))).toEqual([]);
  });

  test("runs without Node's globals", async () => {
    const service = await fakeService({ users: 120, days: 2, now: () => noonMs });
    const context = createContext({ ...webGlobals, fetch: service.fetch });
    runInContext((await bundleProgram(walkProgram)).code, context);
    const types = "[typeof process, typeof require, typeof Buffer].join()";
    expect(runInContext(types, context)).toBe("undefined,undefined,undefined");
    const { walk } = context as { walk: (given: object) => Promise<string> };
    const days = { startDate: "2026-06-01", endDate: yesterday };
    const { apiKey, keys } = service;
    const given = { baseUrl: "https://api.example.com", apiKey, memberKey: keys.member, days, now: () => noonMs };
    const result = JSON.parse(await walk(given));
    await service.close();
    expect(result).toEqual({ users: 120, rows: 240, reports: 30, name: "from a browser", isPermissionError: true });
    const names = new Set(service.requests.flatMap(({ headers }) => Object.keys(headers)));
    expect([...names].sort()).toEqual(["accept", "content-type"]);
  });

  test("retries after a pause, and ends at its deadline, without Node's timers", async () => {
    const service = await fakeService({ now: () => noonMs });
    service.fail(503);
    const context = createContext({ ...webGlobals, fetch: service.fetch });
    const program = `
      import { ServiceClient } from "beckon/service/fetch";
      globalThis.tryTwice = async (options) => {
        const client = new ServiceClient(options);
        const users = await client.users.list().all();
        const hanging = new ServiceClient({ ...options, timeoutMs: 5, fetch: (_, { signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))) });
        const { name } = await hanging.users.list().page().catch((error) => error);
        return [users.length, name].join();
      };`;
    runInContext((await bundleProgram(program)).code, context);
    const { tryTwice } = context as { tryTwice: (options: object) => Promise<string> };
    const result = await tryTwice({ baseUrl: "https://api.example.com", apiKey: service.apiKey, random: () => 1 });
    await service.close();
    expect(result).toBe("20,TimeoutError");
    expect(service.requests.map(({ status }) => status)).toEqual([503, 200]);
  });

  test("refuses a certificate file", async () => {
    const { code } = await bundleProgram(
      `import { ServiceClient } from "beckon/service/fetch";
      try { new ServiceClient({ baseUrl: "https://a.example", apiKey: "k", ca: "/ca.pem" }) } catch (error) { globalThis.failure = error }`,
    );
    const context = createContext({ ...webGlobals });
    runInContext(code, context);
    expect(context["failure"]).toMatchObject({ name: "ArgumentError", parameter: "ca" });
  });

  test("takes at most 150 kB of a bundle", async () => {
    const { sizeBytes } = await bundleProgram('export { ServiceClient } from "beckon/service/fetch";');
    expect(sizeBytes).toBeLessThan(150_000);
    expect(sizeBytes).toBeGreaterThan(50_000);
  });
});

test.each(["beckon/service", "beckon/service/fetch"])("an error class of %s takes at most 10 kB", async (entry) => {
  const program = `import { PermissionError, ServiceError } from "${entry}";
    const error = new PermissionError("auth", "refused", { hint: "ask" });
    globalThis.shown = [error.name, error.hint, error instanceof ServiceError, error instanceof Error].join();`;
  const { code, sizeBytes } = await bundleProgram(program, { platform: "node" });
  const context = createContext({});
  runInContext(code, context);
  expect(context["shown"]).toBe("PermissionError,ask,true,true");
  expect(sizeBytes).toBeLessThan(10_000);
});
