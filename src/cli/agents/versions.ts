/** The first `n.n.n` in a text, or undefined. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

/** Below 0: `a` is older than `b`; 0: the same. Only the numbers count, missing ones are 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const numbers = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
  return [0, 1, 2].map((index) => numbers[index] ?? 0);
}
