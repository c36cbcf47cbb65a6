import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { Receipt } from "../../../src/core/notifier-call.ts";
import { clean } from "../../../src/text/clean.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { networkCall, offlinePorts } from "../../world/network-call.ts";
import { type ChangeCase, type ChangeWorld, canary, event } from "./notifier-case.ts";
import { direct, type Outcome, type Verb, type Way } from "./way.ts";

const hostile = [
  "<b>x</b> &amp; <a href='y'>z</a> [l](http://e) *b* _i_ ~s~ `c` # h @everyone @channel /stop <!here>",
  "\\ \" ' {project} ${x} %s $(touch PWNED) `touch PWNED` --help",
  "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \u200f עברית ﷽",
].join("\n");

/**
 * Registers the contract of a notifier's receipts, `update` and `withdraw`.
 * @param way way of the messages to the notifier; default: its own functions
 */
export function describeChanges(notifier: Notifier, changeCase: ChangeCase, way: Way = direct): void {
  describe(`a sent message of ${notifier.name}`, () => {
    let world: ChangeWorld;
    const start = async () => {
      world = await changeCase.start();
    };
    beforeEach(start);
    afterEach(() => world.close());
    /** Collects the rows whose check fails, each checked in a separate world. */
    const collectChanges = <Row>(rows: readonly Row[], check: (row: Row) => Promise<void>) =>
      collectFailures(rows, async (row) => {
        await world.close();
        await start();
        await check(row);
      });

    /** Sends a message and returns its required receipt. */
    async function send(message: string, session = "0"): Promise<Receipt> {
      const { receipt, failure } = await way.send(
        { notifier, ...world },
        { message, id: `${event.id}-${session}`, session },
      );
      expect(failure).toBeUndefined();
      return receipt ?? expect.fail("no receipt");
    }
    const alter = (verb: Verb, receipt: Receipt, message = "changed"): Promise<Outcome> =>
      way.change(verb, { notifier, ...world }, { message, id: `${event.id}-0`, receipt });
    const bodies = async () => (await world.listActive()).map(({ body }) => body);
    const verbs = (["update", "withdraw"] as const).filter((verb) => notifier[verb]);

    test("is updated if possible, and withdrawn", async () => {
      const receipt = await send("first");
      expect(await bodies()).toEqual(["first"]);
      if (notifier.update) {
        expect(await alter("update", receipt, "second")).toEqual({});
        expect(await bodies()).toEqual(["second"]);
      }
      expect(await alter("withdraw", receipt, "third")).toEqual({});
      const done = { title: "✓ shop · Claude Code", body: "third" };
      expect(await world.listActive()).toEqual(changeCase.withdrawn === "done" ? [done] : []);
    });

    test("can be changed again without a failure, even if a user has removed it", async () => {
      const check = async (verb: Verb) => {
        const receipt = await send("first");
        expect(await alter(verb, receipt)).toEqual({});
        expect(await alter(verb, receipt)).toEqual({});
        await world.removeAll();
        expect(await alter(verb, receipt)).toEqual({});
        expect(await bodies()).toEqual([]);
      };
      expect(await collectChanges(verbs, check)).toEqual([]);
    });

    test("from before the receiver's restart changes without a failure, and no other message changes", async () => {
      const check = async (verb: Verb) => {
        const receipt = await send("first");
        await world.beginAnew();
        await send("a stranger's", "1");
        expect(await alter(verb, receipt)).toEqual({});
        expect(await bodies()).toEqual(["a stranger's"]);
      };
      expect(await collectChanges(verbs, check)).toEqual([]);
    });

    if (changeCase.refusal) {
      test("whose change is refused gives a failure with its reason, without a secret", async () => {
        const check = async (verb: Verb) => {
          const receipt = await send("first");
          world.refuseNext?.();
          const { failure } = await alter(verb, receipt, "words of the event");
          expect(failure?.reason).toBe(changeCase.refusal);
          expect(JSON.stringify(failure)).not.toMatch(new RegExp(`${canary}|words of the event`));
          expect(await bodies()).toEqual(["first"]);
        };
        expect(await collectChanges(verbs, check)).toEqual([]);
      });
    }

    if (changeCase.editsEnd) {
      test("stays unchanged after the time limit for edits, which is not a failure", async () => {
        const receipt = await send("first");
        world.endEdits?.();
        expect(await alter("withdraw", receipt, "later")).toEqual({});
        expect(await bodies()).toEqual(["first"]);
      });
    }

    test("stays plain text through each change", async () => {
      const texts = [
        ["markup, mentions and commands", hostile],
        ["120 kB", `start ${"👩‍👩‍👧‍👦<&>@".repeat(4_000)} end`],
      ] as const;
      const check = async ([, words]: (typeof texts)[number]) => {
        const receipt = await send(words);
        const expectText = async () => {
          const [{ body } = { body: "" }] = await world.listActive();
          const { shownAs = (text) => text } = changeCase;
          if (body !== shownAs(clean(words))) expect(body).toMatch(/^start .*… \(\+\d+ characters\)$/s);
          expect(body.isWellFormed()).toBe(true);
        };
        await expectText();
        for (const verb of verbs) {
          expect((await alter(verb, receipt, words)).failure).toBeUndefined();
          if (verb === "update" || changeCase.withdrawn === "done") await expectText();
        }
      };
      expect(await collectChanges(texts, check)).toEqual([]);
    });

    const { foreign, otherVariant } = changeCase;
    /** Tries to change a message in every way that makes no request possible. */
    const alterOffline = async (settings: object, receipt: object) => {
      const call = networkCall(notifier.settings.parse(settings), {}, offlinePorts());
      for (const verb of verbs) await notifier[verb]?.({ ...call, receipt: receipt as Receipt });
      await notifier.lifecycle?.repeats?.repeat({ ...call, receipt: receipt as Receipt });
    };
    if (foreign) {
      test("causes no request if its receipt is malformed", async () => {
        const check = (receipt: object) => alterOffline(world.settings, receipt);
        expect(await collectFailures(foreign, check)).toEqual([]);
      });
    }

    if (otherVariant) {
      test("is left alone by settings of the other variant, which has nothing to probe", async () => {
        const settings = notifier.settings.parse(otherVariant.settings);
        expect(notifier.verification?.canProbe?.(settings)).toBe(false);
        await notifier.verification?.probe?.(networkCall(settings, {}, offlinePorts()));
        await alterOffline(otherVariant.settings, otherVariant.receipt);
      });
    }

    test("has a receipt of 512 bytes at most, without address, secret or text", async () => {
      const text = JSON.stringify(await send("words of the event"));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(512);
      expect(text).not.toMatch(new RegExp(`://|127\\.0\\.0\\.1|${canary}|words of the event|shop`));
    });
  });
}
