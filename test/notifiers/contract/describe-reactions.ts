import { describe, expect, test } from "vitest";
import { DeliveryError } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { Receipt } from "../../../src/core/notifier-call.ts";
import { catchDeliveryError } from "../../world/catch-delivery-error.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { answer, type Behaviour, htmlPage, openHostileServer } from "../../world/hostile-server.ts";
import { networkPorts } from "../../world/network-call.ts";
import { useEach } from "../../world/use.ts";
import { type ChangeWorld, canary, type ReactionCase } from "./notifier-case.ts";
import { direct } from "./way.ts";

/** A receiver whose messages have a button, and its users. */
export interface ReactionWorld extends ChangeWorld {
  /** The notifier's settings for messages with a button, with `canary` in every secret. */
  readonly settings: Readonly<Record<string, unknown>> & { readonly server: string };
  /** Presses the button of the message with this body. */
  press(body: string): Promise<void>;
  /**
   * Performs every action of a stranger: presses of other messages and in other places, and texts other than presses.
   */
  disturb(): Promise<void>;
  refuseNext(): void;
}

const garbage: readonly (readonly [string, Behaviour])[] = [
  ["a page", htmlPage],
  ["nothing", answer(200, {}, "")],
  ["null", answer(200, {}, "null")],
  ["a list", answer(200, {}, "[[]]")],
  ["fields of other types", answer(200, {}, '{"ok":true,"status":1,"result":{},"acknowledged":"1","event":7}')],
  ["lists of anything", answer(200, {}, '{"ok":true,"status":1,"result":[null,1,{"update_id":"x"},{"update_id":1}]}')],
];

/** Registers the contract of a notifier's `reactions`. */
export function describeReactions(notifier: Notifier, reactionCase: ReactionCase): void {
  describe(`the message button of ${notifier.name}`, () => {
    const world = useEach("close", () => reactionCase.start());
    const { reactions } = notifier.lifecycle ?? {};

    const send = async (message: string): Promise<Receipt> =>
      (await direct.send({ notifier, settings: world.settings }, { message, id: message })).receipt ??
      expect.fail("no receipt");
    const find = (active: readonly Receipt[], server = world.settings.server) => {
      const settings = notifier.settings.parse({ ...world.settings, server });
      const call = { settings, ports: networkPorts(), signal: AbortSignal.timeout(5_000), active };
      return reactions?.find(call) ?? expect.fail("no reactions");
    };

    test("is reported for its own receipt once pressed, until its message is gone", async () => {
      const [first, second] = [await send("first"), await send("second")];
      expect(await find([first, second])).toEqual([]);
      await world.press("second");
      // A press is reported again if the worker dies before handling it.
      expect(await find([first, second])).toEqual([second]);
      expect(await find([first, second])).toEqual([second]);
      const withdrawn = { message: "second", id: "second", receipt: second };
      expect(await direct.change("withdraw", { notifier, settings: world.settings }, withdrawn)).toEqual({});
      expect(await find([first])).toEqual([]);
      await world.press("first");
      expect(await find([first])).toEqual([first]);
    });

    test("is not confused with strangers' buttons, and is found among them", async () => {
      const receipt = await send("first");
      await world.disturb();
      expect(await find([receipt])).toEqual([]);
      await world.press("first");
      await world.disturb();
      expect(await find([receipt])).toEqual([receipt]);
    });

    test("reports nothing if the message is gone or the receiver restarted", async () => {
      const receipt = await send("first");
      await world.removeAll();
      expect(await find([receipt])).toEqual([]);
      await world.beginAnew();
      expect(await find([receipt])).toEqual([]);
    });

    test("gives a failure with its reason, without a secret, if polling fails", async () => {
      const receipt = await send("words of the event");
      world.refuseNext();
      const error = await catchDeliveryError(find([receipt]));
      expect(error).toMatchObject({ reason: reactionCase.refusal });
      expect(`${error} ${JSON.stringify(error)}`).not.toMatch(new RegExp(`${canary}|words of the event|\\d/`));
    });

    test("reports nothing or a failure if the answer is garbage", async () => {
      const receipt = await send("first");
      const check = async ([, behaviour]: (typeof garbage)[number]) => {
        const server = await openHostileServer({ "*": behaviour });
        const found = await find([receipt], server.origin).catch((error: unknown) => error);
        if (found instanceof DeliveryError) expect(found.reason).toBe("unavailable");
        else expect(found).toEqual([]);
      };
      expect(await collectFailures(garbage, check)).toEqual([]);
    });

    test("is not polled if no visible message has one", async () => {
      const server = await openHostileServer({});
      expect(await find([], server.origin)).toEqual([]);
      expect(await find(reactionCase.foreign, server.origin)).toEqual([]);
      expect(server.requests).toEqual([]);
    });

    test("is polled only if the settings ask for it, and at a slow rate", () => {
      const isOn = (settings: object) => reactions?.isOn?.(notifier.settings.parse({ ...world.settings, ...settings }));
      expect(isOn({})).toBe(true);
      expect(isOn(reactionCase.off)).toBe(false);
      expect(reactions?.everyMs).toBeGreaterThanOrEqual(5_000);
    });
  });
}
