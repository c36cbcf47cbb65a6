import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Flatten } from "../../src/service/flatten.ts";

type Lists = readonly (readonly number[])[];
type Walk = AsyncIterableIterator<number, void, undefined>;

/** Lists, one after the other, each only after others had their turn; then a failure, if there is one. */
async function* listsOf(lists: Lists, failure?: Error): AsyncGenerator<readonly number[], void, undefined> {
  for (const list of lists) {
    await new Promise(setImmediate);
    yield list;
  }
  if (failure) throw failure;
}

/** What `Flatten` stands for. */
async function* plainly(lists: AsyncIterable<readonly number[]>): AsyncGenerator<number, void, undefined> {
  for await (const list of lists) for (const item of list) yield item;
}

/**
 * What comes of some calls: each made at once, or (`wait`) after all earlier ones were answered; in the order of the
 * answers.
 */
async function answersTo(walk: Walk, calls: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  const made: Promise<unknown>[] = [];
  for (const [n, call] of calls.entries()) {
    if (call === "wait") await Promise.all(made);
    else {
      const answer = call === "next" ? walk.next() : walk.return?.();
      made.push(
        Promise.resolve(answer).then(
          (result) => answers.push([n, result]),
          (error: Error) => answers.push([n, error.message]),
        ),
      );
    }
  }
  await Promise.all(made);
  return answers;
}

describe("Flatten", () => {
  test("answers any calls as an async generator would, in the order in which they were made", async () => {
    const lists = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 3 });
    const weights = { next: 8, wait: 3, return: 1 };
    const call = fc.oneof(
      ...Object.entries(weights).map(([arbitrary, weight]) => ({ arbitrary: fc.constant(arbitrary), weight })),
    );
    const failure = fc.option(fc.constant(new Error("broke off")), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(lists, failure, fc.array(call, { maxLength: 12 }), async (some, error, calls) => {
        const answers = await answersTo(new Flatten(listsOf(some, error)), calls);
        expect(answers).toEqual(await answersTo(plainly(listsOf(some, error)), calls));
      }),
      { numRuns: 300 },
    );
  });

  test("asks for no list before the first item is wanted, and for none after the loop was left", async () => {
    const asked: number[] = [];
    async function* lists() {
      for (let n = 0; ; n += 1) {
        asked.push(n);
        yield [n, n];
      }
    }
    const walk = new Flatten(lists());
    await new Promise(setImmediate);
    expect(asked).toEqual([]);
    for await (const item of walk) if (item === 1) break;
    await new Promise(setImmediate);
    expect(asked).toEqual([0, 1]);
  });
});
