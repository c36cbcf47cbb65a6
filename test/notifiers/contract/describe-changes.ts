import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FailureReason } from "../../../src/core/errors.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { Receipt } from "../../../src/core/notifier-call.ts";
import type { Ports } from "../../../src/core/ports.ts";
import { change } from "../../../src/follow-up/change.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { type AttemptContext, attempt } from "../../../src/pipeline/attempt.ts";
import type { OutgoingEvent } from "../../../src/pipeline/outgoing.ts";
import { clean } from "../../../src/text/clean.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { makeConfig } from "../../world/delivery-world.ts";
import { localCall } from "../../world/local-call.ts";
import { configuredFor, event } from "./deliver-to.ts";
import { LifeStory } from "./life-story.ts";
import { canary, type Reading } from "./notifier-case.ts";

/** A receiver that keeps the rules of a real receiver, or that is real. */
export interface ChangeWorld {
  /** The notifier's settings for the receiver, with `canary` in every secret. */
  readonly settings: object;
  /** Ports that lead to the receiver; by default those of this process. */
  readonly ports?: Ports;
  /** The visible messages as people read them, oldest first. */
  listActive(): Promise<readonly Reading[]>;
  /** Removes all messages, as a user does. */
  removeAll(): Promise<void>;
  /** Restarts the receiver without its messages. If its ids start over, new messages get the ids of old ones. */
  beginAnew(): Promise<void>;
  /** Makes the receiver refuse the next request, if possible. */
  refuseNext?(): void;
  close(): Promise<void>;
}

/** The notifier's part of the contract of changes. */
export interface ChangeCase {
  start(): Promise<ChangeWorld>;
  /** Visible text after the message is withdrawn: none, or the message marked as done. */
  readonly withdrawn: "nothing" | "done";
  /** A text as the receiver shows it; unchanged by default. */
  shownAs?(text: string): string;
  /** Failure reason that `refuseNext` causes. */
  readonly refusal?: FailureReason;
  /** Receipts that none of the notifier's messages can have. */
  readonly foreign?: readonly object[];
  /** Settings for a variant whose messages cannot be changed, and a receipt of that variant. */
  readonly otherVariant?: { readonly settings: object; readonly receipt: Receipt };
}

const hostile = [
  "<b>x</b> &amp; <a href='y'>z</a> [l](http://e) *b* _i_ ~s~ `c` # h @everyone @channel /stop <!here>",
  "\\ \" ' {project} ${x} %s $(touch PWNED) `touch PWNED` --help",
  "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \u200f עברית ﷽",
].join("\n");

type Verb = "update" | "withdraw";

/** Registers the contract of a notifier's receipts, `update` and `withdraw`: call it once, in the notifier's test. */
export function describeChanges(notifier: Notifier, changeCase: ChangeCase): void {
  describe(`a sent message of ${notifier.name}`, () => {
    let world: ChangeWorld;
    let context: AttemptContext;
    let outgoing: (message: string, session?: string) => Promise<OutgoingEvent>;
    const start = async () => {
      world = await changeCase.start();
      context = { config: await makeConfig({}), ports: world.ports ?? createPorts(), keepSecret() {} };
      const configured = await configuredFor(notifier, world.settings);
      outgoing = async (message, session = "0") => {
        const thread = { key: session.repeat(32) };
        return { event: { ...event, id: `${event.id}-${session}`, message }, facts: {}, configured, thread };
      };
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
    async function send(message: string, session?: string): Promise<Receipt> {
      const { receipt, failure } = await attempt(await outgoing(message, session), context);
      expect(failure).toBeUndefined();
      return receipt ?? expect.fail("no receipt");
    }
    const alter = async (verb: Verb, receipt: Receipt, message = "changed") =>
      change(verb, { ...(await outgoing(message)), receipt }, context);
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

    test("is still tracked although the worker is killed after each step", async () => {
      const story = await LifeStory.of(await configuredFor(notifier, world.settings), world.ports);
      const signs = async () => (await world.listActive()).map(({ title }) => title.slice(0, 1));
      await story.asks("make");
      expect(await signs()).toEqual(["s"]);
      await story.asks("make deploy");
      const isOlderThere = changeCase.withdrawn === "done" && !notifier.lifecycle?.replaces;
      expect(await signs()).toEqual(isOlderThere ? ["↓", "s"] : ["s"]);
      await story.prompts();
      expect(await signs()).toEqual(changeCase.withdrawn === "nothing" ? [] : isOlderThere ? ["↓", "✓"] : ["✓"]);
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

    test("stays plain text through each change", async () => {
      const texts = [
        ["markup, mentions and commands", hostile],
        ["200 kB", `start ${"👩‍👩‍👧‍👦<&>@".repeat(12_000)} end`],
      ] as const;
      const check = async ([, words]: (typeof texts)[number]) => {
        const receipt = await send(words);
        const expectText = async () => {
          const [{ body } = { body: "" }] = await world.listActive();
          const { shownAs = (text) => text } = changeCase;
          if (body !== shownAs(clean(words))) expect(body).toMatch(/^start .*…$/s);
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
      const call = localCall(notifier.settings.parse(settings), {});
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
        await notifier.verification?.probe?.(localCall(settings, {}));
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
