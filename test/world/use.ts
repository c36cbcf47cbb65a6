import { beforeAll, beforeEach } from "vitest";

/** Makes something before each test of a file or a `describe` block, and ends it by its method after the test. */
export const useEach = makeIn(beforeEach);
/** Makes something that all tests of a file or a `describe` block share, and ends it by its method after them. */
export const useShared = makeIn(beforeAll);

type End = "close" | "remove" | "stop";

/** Copies what `make` returns into the object that tests have from the start; it must have no getters. */
function makeIn(hook: typeof beforeAll | typeof beforeEach) {
  return <Name extends End, Made extends Readonly<Record<Name, () => unknown>>>(
    end: Name,
    make: () => Made | Promise<Made>,
    timeoutMs?: number,
  ) => {
    const made = {} as Made;
    hook(async () => {
      Object.assign(made, await make());
      return async () => void (await made[end]());
    }, timeoutMs);
    return made;
  };
}
