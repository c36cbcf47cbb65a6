import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { generatedFiles } from "../../src/docs/generated-files.ts";
import { repository } from "../world/home.ts";

const pages = readdirSync(join(repository, "docs")).filter((file) => file.endsWith(".md"));
const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...pages.map((page) => `docs/${page}`),
];
const textOf = (file: string): string => readFileSync(join(repository, file), "utf8");

interface Link {
  readonly from: string;
  /** Relative to the repository; empty for a link within the page. */
  readonly to: string;
  readonly anchor?: string | undefined;
}

/** Links and pictures of a page that lead to other files or parts of the repository. */
function linksOf(from: string): Link[] {
  const text = withoutCode(textOf(from));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, image]) => link ?? image ?? "",
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      return { from, to: path === "" ? from : posix.join(dirname(from), path), anchor };
    });
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, (span) => span.replaceAll("]", ""));
}

/** The anchors GitHub gives to a page's headings: https://docs.github.com/en/get-started/writing-on-github */
function anchorsOf(file: string): string[] {
  const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? "");
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trimEnd()
      .replaceAll(" ", "-"),
  );
}

const links = documents.flatMap(linksOf);

test("every link leads to a file of the repository", () => {
  expect(links.filter(({ to }) => !existsSync(join(repository, to)))).toEqual([]);
});

test("every link to a part of a page finds its heading", () => {
  const lost = links.filter(({ to, anchor }) => anchor !== undefined && !anchorsOf(to).includes(anchor));
  expect(lost).toEqual([]);
});

test("every link leads to a file of the tarball", () => {
  const packed = [...packageFile.files, "README.md", "LICENSE", "package.json"];
  const isPacked = (file: string) => packed.some((entry) => file === entry || file.startsWith(`${entry}/`));
  expect(links.filter(({ to }) => !isPacked(to))).toEqual([]);
});

test("every source path that is named exists", () => {
  const rooms = /`((?:src|hooks|test|templates|bench|scripts|\.ci)\/[\w./-]*)`/g;
  const named = documents.flatMap((file) =>
    [...textOf(file).matchAll(rooms)].map(([, path]) => ({ file, path: path ?? "" })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !existsSync(join(repository, path)))).toEqual([]);
});

test("what is generated is fresh: npm run docs writes it", async () => {
  const fresh = Object.entries(await generatedFiles(repository));
  expect(fresh.filter(([file, text]) => textOf(file) !== text).map(([file]) => file)).toEqual([]);
});

test("the README has at most 1,200 words", () => {
  expect(textOf("README.md").split(/\s+/).length).toBeLessThanOrEqual(1_200);
});
