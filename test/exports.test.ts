import { expect, test } from "vitest";
import { filesBelow, type Source, sources } from "./world/sources.ts";

/** What a package or a runner imports by file, not by name: programs, public entry points, what is run by hand. */
const entryPoints = /^(hooks\/|src\/(index|service|set-up|worker)\.ts$|src\/cli\/main\.ts$|install\.ts$)/;

/** Files whose every export is public: `export * from` in what the package exports. */
const publicFiles = sources
  .filter(({ file }) => /^src\/(index|service)\.ts$/.test(file))
  .flatMap(({ text }) =>
    [...text.matchAll(/^export (?:type )?\* from "\.\/(.+)";/gm)].map(([, path]) => `src/${path}`),
  );

const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;

/** `file: name` for each export that no other file names, and whose own file does not need it to describe another. */
function deadExports(files: readonly Source[], users: readonly Source[]): string[] {
  const wordsOf = new Map(users.map(({ file, text }) => [file, new Set(text.match(/\w+/g))]));
  return files
    .filter(({ file }) => !entryPoints.test(file) && !publicFiles.includes(file))
    .flatMap(({ file, text }) =>
      [...text.matchAll(exported)]
        .map(([declaration, name = ""]) => ({ declaration, name }))
        .filter(({ declaration, name }) => !isUsed(name, file) && !(isType(declaration) && isNamedAgain(name, text)))
        .map(({ name }) => `${file}: ${name}`),
    );

  function isUsed(name: string, file: string): boolean {
    return [...wordsOf].some(([other, words]) => other !== file && words.has(name));
  }
}

/** A type may be exported for those who read the signature that has it. */
function isType(declaration: string): boolean {
  return /^export (?:interface|type)/.test(declaration);
}

function isNamedAgain(name: string, text: string): boolean {
  return (text.match(new RegExp(`\\b${name}\\b`, "g")) ?? []).length > 1;
}

const users = [...sources, ...["test", "bench", "scripts", "templates"].flatMap(filesBelow)].filter(
  ({ file }) => file !== "test/exports.test.ts",
);

test("every export is used by another file", () => {
  expect(deadExports(sources, users)).toEqual([]);
});

test("this test finds an export that nobody uses, and a type that only its own file needs is none", () => {
  const text =
    "export function nobodyCallsThis(): Kept {}\nexport interface Kept {}\nexport type NobodyTakesThis = string;\n";
  const planted = { file: "src/core/new.ts", text };
  expect(deadExports([planted], [...users, planted])).toEqual([
    "src/core/new.ts: nobodyCallsThis",
    "src/core/new.ts: NobodyTakesThis",
  ]);
});
