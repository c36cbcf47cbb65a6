import { expect, test } from "vitest";
import { findNeverRule } from "../../src/answers/never.ts";
import { mask } from "../../src/text/mask/mask.ts";
import publicRules from "../../src/text/mask/public-rules.json" with { type: "json" };
import { tokenForms } from "../../src/text/mask/token-forms.ts";
import { measureCpuMs } from "../core/cpu-time.ts";
import { secretCorpus } from "./mask/secret-corpus.ts";
import { sentenceCorpus } from "./mask/sentence-corpus.ts";

/** Collects the patterns that an action uses. */
function collectPatterns(action: () => unknown): RegExp[] {
  const found = new Map<string, RegExp>();
  const names = ["test", "exec", Symbol.replace, Symbol.matchAll] as const;
  const kept = names.map((name) => [name, RegExp.prototype[name] as (...args: unknown[]) => unknown] as const);
  for (const [name, method] of kept) {
    Object.assign(RegExp.prototype, {
      [name](this: RegExp, ...args: unknown[]) {
        found.set(String(this), this);
        return method.apply(this, args);
      },
    });
  }
  try {
    action();
  } finally {
    for (const [name, method] of kept) Object.assign(RegExp.prototype, { [name]: method });
  }
  return [...found.values()];
}

const keywords = [
  ...publicRules.forms.flatMap(([words = ""]) => words.split(" ")),
  ...publicRules.named.flatMap(([words = ""]) => words.split(" ")),
  ...tokenForms.map(({ keyword }) => keyword),
];
const texts = [...secretCorpus(), ...sentenceCorpus()].map(({ text }) => text);
const patterns = collectPatterns(() => {
  mask([...texts, ...keywords, "-----BEGIN PRIVATE KEY-----"].join("\n"));
  for (const text of texts) mask(text);
  findNeverRule({ input: ["ls ~/a"], cwd: "/home/dev", never: ["a*b"] });
});

/** Lists texts with which a match of a pattern may start: its literal parts, and its examples in the corpora. */
function listStarts({ source }: RegExp): string[] {
  const literals = source
    .replaceAll(/\\[bdswSDWnrt]|\[[^\]]*\]|\{[\d,]*\}|\(\?<?[=!:]/g, "\0")
    .match(/[\w:/=.<-]{2,}/g);
  return [...new Set(literals ?? [])].slice(0, 12);
}

const repeated = [...`abA1 -/.=_'"\\:`, "a.", "a=", "a1", "-b", " -", "${", "%20"];
const size = 8_000;

test("every pattern takes linear time on every start, repeated or followed by a repetition", () => {
  expect(patterns.length).toBeGreaterThan(250);
  const slow = patterns.flatMap((pattern) => {
    const cpuMs = (start: string, piece: string, chars: number) => {
      const text = start + piece.repeat(chars / piece.length);
      return measureCpuMs(() => text.replace(pattern, ""));
    };
    // The least of three, without what the garbage collector and the compiler of patterns take.
    const leastMs = (start: string, piece: string, chars: number) =>
      Math.min(...[1, 2, 3].map(() => cpuMs(start, piece, chars)));
    const starts = listStarts(pattern);
    const pairs = [
      ...[...starts, ...repeated].map((piece) => ["", piece] as const),
      ...starts.flatMap((start) =>
        ["", " ", " -", "="].flatMap((sign) => repeated.map((piece) => [start + sign, piece] as const)),
      ),
    ];
    return pairs
      .filter(
        ([start, piece]) =>
          cpuMs(start, piece, size) > 4 &&
          leastMs(start, piece, size) > 4 &&
          leastMs(start, piece, 4 * size) > 8 * leastMs(start, piece, size),
      )
      .map(([start, piece]) => `${JSON.stringify([start, piece])} for ${pattern}`.slice(0, 200));
  });
  expect(slow).toEqual([]);
}, 120_000); // 200,000 matches
