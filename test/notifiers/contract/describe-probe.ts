import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import type { DeliveryError } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import {
  answer,
  type Behaviour,
  type Captured,
  type HostileServer,
  htmlPage,
  startHostileServer,
} from "../../world/hostile-server.ts";
import { canary } from "./notifier-case.ts";

/** The notifier's part of the contract of `probe`. */
export interface ProbeCase {
  /** Settings for a test server, with `canary` in every secret. */
  settings(origin: string): Readonly<Record<string, unknown>>;
  /** The only request of the probe. */
  readonly asks: Pick<Captured, "method" | "path">;
  readonly success: Behaviour;
  /** True if the endpoint needs no credentials and so cannot reject them. */
  readonly addressOnly?: true;
}

/** Registers the contract of a notifier's `probe`: call it once, in the notifier's own test file. */
export function describeProbe(notifier: Notifier<string, z.ZodObject>, probeCase: ProbeCase): void {
  let server: HostileServer;
  let behave: Behaviour = probeCase.success;
  beforeAll(async () => {
    server = await startHostileServer({ "*": (request, response) => behave(request, response) });
  });
  afterAll(() => server.close());

  const probe = async (behaviour: Behaviour): Promise<void> => {
    behave = behaviour;
    const settings = notifier.settings.parse(probeCase.settings(server.origin));
    await notifier.verification?.probe?.({ settings, ports: createPorts(), signal: AbortSignal.timeout(5_000) });
  };

  describe(`the probe of ${notifier.name}`, () => {
    test("makes one request and sends no message", async () => {
      expect(notifier.verification?.probe).toBeDefined();
      expect(notifier.verification?.probesAddressOnly).toBe(probeCase.addressOnly);
      server.requests.length = 0;
      await probe(probeCase.success);
      expect(server.requests).toMatchObject([probeCase.asks]);
    });

    const table: [string, Behaviour, DeliveryError["reason"]][] = [
      ["a captive portal", htmlPage, "unavailable"],
      ["another program's JSON", answer(200, {}, "{}"), "unavailable"],
      ["a server error", answer(500), "unavailable"],
      ["a wrong address", answer(404), "auth"],
    ];
    if (!probeCase.addressOnly) table.push(["wrong credentials", answer(401, {}, "{}"), "auth"]);
    test("fails with a hint and without a secret", async () => {
      const check = async ([, behaviour, reason]: (typeof table)[number]) => {
        const error: DeliveryError = await probe(behaviour).then(
          () => expect.fail("the probe succeeded"),
          (thrown) => thrown,
        );
        expect(error.reason).toBe(reason);
        if (reason === "auth") expect(error.hint).toMatch(/`\w+`/);
        expect(error.message).not.toContain(canary);
      };
      expect(await collectFailures(table, check)).toEqual([]);
    });
  });
}
