import packageFile from "../../package.json" with { type: "json" };

/**
 * Returns the address of a page of the documents, or where to find it as long as the repository has no address.
 * @param page name such as `answers`
 */
export function docsPage(page: string): string {
  if (packageFile.homepage.includes("/OWNER/")) return `docs/${page}.md in beckon's repository`;
  return `${packageFile.homepage.replace(/#.*$/, "")}/blob/main/docs/${page}.md`;
}

/** Compares two versions' numbers: negative if `a` is older than `b`, 0 if equal. A missing number counts as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [readNumbers(a), readNumbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function readNumbers(version: string): number[] {
  const numbers = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
  return [0, 1, 2].map((index) => numbers[index] ?? 0);
}

/** Oldest version of Node that beckon runs on, such as `20.19`. */
export const oldestNode = packageFile.engines.node.replace(">=", "");
