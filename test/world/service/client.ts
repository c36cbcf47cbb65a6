import { onTestFinished } from "vitest";
import { keys } from "../../../src/fake-service/access.ts";
import { ServiceClient, type ServiceClientOptions } from "../../../src/service.ts";
import { useShared } from "../use.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "./server.ts";

/** Noon of a day in the middle of the sandbox's data. */
export const noonMs = Date.UTC(2026, 5, 15, 12);
export const yesterday = "2026-06-14";
export const lastDay = { startDate: yesterday, endDate: yesterday };

/** Makes a client of a sandbox, with the owner's key and the sandbox's clock. It does not wait between attempts. */
export function makeClient(sandbox: Pick<Sandbox, "baseUrl" | "appUrl">, options: Partial<ServiceClientOptions> = {}) {
  const { baseUrl, appUrl } = sandbox;
  const credentials = options.jwt === undefined ? { apiKey: keys.owner } : {};
  const tuning = { now: () => noonMs, sleep: () => Promise.resolve() };
  return new ServiceClient({ baseUrl, appUrl, ...credentials, ...tuning, ...options } as ServiceClientOptions);
}

/** Opens a sandbox for a single test. */
export async function openSandbox(sizes: SandboxOptions["sizes"] = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ sizes, now: () => noonMs });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Gives the tests of a file or a `describe` block a sandbox. */
export function useSandbox(sizes: SandboxOptions["sizes"] = {}): Sandbox {
  return useShared("close", () => startSandbox({ sizes, now: () => noonMs }));
}

/** Returns the error of an operation that must fail. */
export async function catchFailure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

/** Collects all items of a list. */
export async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
