import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import type { DeliveryError } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import { createPorts } from "../../../src/io/ports.ts";
import {
  answer,
  type Behaviour,
  type Captured,
  type HostileServer,
  htmlPage,
  startHostileServer,
} from "../hostile-server.ts";
import { canary } from "./describe-http-notifier.ts";

/** What is to be known of the way in which a notifier asks its receiver whether it would take a message. */
export interface ProbeCase {
  /** Settings that lead to a server of ours, with `canary` in every secret. */
  settings(origin: string): Readonly<Record<string, unknown>>;
  /** The only request that is made. */
  readonly asks: Pick<Captured, "method" | "path">;
  readonly success: Behaviour;
  /** True where the endpoint needs no credentials, so that it cannot refuse them. */
  readonly open?: true;
}

/** Registers the contract of a notifier's `probe`: call it once, in the notifier's own test file. */
export function describeProbe(notifier: Notifier<string, z.ZodObject>, one: ProbeCase): void {
  let server: HostileServer;
  let behave: Behaviour = one.success;
  beforeAll(async () => {
    server = await startHostileServer({ "*": (request, response) => behave(request, response) });
  });
  afterAll(() => server.close());

  const probe = async (behaviour: Behaviour): Promise<void> => {
    behave = behaviour;
    const settings = notifier.settings.parse(one.settings(server.origin));
    await notifier.probe?.({ settings, ports: createPorts(), signal: AbortSignal.timeout(5_000) });
  };

  describe(`${notifier.name}, asked before it is used`, () => {
    test("asks once, and posts nothing", async () => {
      expect(notifier.probe).toBeDefined();
      expect(notifier.probesAddressOnly).toBe(one.open);
      server.requests.length = 0;
      await probe(one.success);
      expect(server.requests).toMatchObject([one.asks]);
    });

    const table: [string, Behaviour, DeliveryError["reason"]][] = [
      ["a captive portal", htmlPage, "unavailable"],
      ["another program's JSON", answer(200, {}, "{}"), "unavailable"],
      ["a fault", answer(500), "unavailable"],
      ["a wrong address", answer(404), "auth"],
    ];
    if (!one.open) table.push(["wrong credentials", answer(401, {}, "{}"), "auth"]);
    test.each(table)("%s is told, with what to do about it and no secret", async (_, behaviour, reason) => {
      const error: DeliveryError = await probe(behaviour).then(
        () => expect.fail("it was taken for good"),
        (thrown) => thrown,
      );
      expect(error.reason).toBe(reason);
      if (reason === "auth") expect(error.hint).toMatch(/`\w+`/);
      expect(error.message).not.toContain(canary);
    });
  });
}
