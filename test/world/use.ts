import { beforeAll, beforeEach } from "vitest";

/** Makes something before each test of a file or a `describe` block, and ends it by its method after the test. */
export const useEach = makeIn(beforeEach);
/** Makes something that all tests of a file or a `describe` block share, and ends it by its method after them. */
export const useShared = makeIn(beforeAll);

type End = "close" | "remove" | "stop";

/**
 * Gives the object that tests have from the start all members of what `make` returns, with getters and the methods of
 * its class. A class with private fields throws when it is used.
 */
function makeIn(hook: typeof beforeAll | typeof beforeEach) {
  return <Name extends End, Made extends Readonly<Record<Name, () => unknown>>>(
    end: Name,
    make: () => Made | Promise<Made>,
    timeoutMs?: number,
  ) => {
    const made = {} as Made;
    hook(async () => {
      const fresh = await make();
      Object.setPrototypeOf(made, Object.getPrototypeOf(fresh));
      Object.defineProperties(made, Object.getOwnPropertyDescriptors(fresh));
      return async () => void (await made[end]());
    }, timeoutMs);
    return made;
  };
}
