import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mask } from "../../../src/text/mask/mask.ts";
import { measureCpuMs } from "../../core/cpu-time.ts";
import { repository } from "../../world/home.ts";
import { readFixtureLines, sources } from "../../world/sources.ts";
import { contexts, corpusShapes, fillTemplate, leaks, mulberry32, secretCorpus } from "./secret-corpus.ts";
import { sentenceCorpus } from "./sentence-corpus.ts";

/** Functions that write a secret in a context: plain, in a JSON string, percent-encoded. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  code: (secret) => JSON.stringify(secret).slice(1, -1),
  "JSON string": (secret) => JSON.stringify(secret).slice(1, -1),
  address: encodeURIComponent,
};

test("98 of 100 secrets of many issuers are masked in any context", () => {
  const corpus = secretCorpus();
  expect(corpus.length).toBeGreaterThanOrEqual(500);
  expect(corpusShapes).toBeGreaterThanOrEqual(60);
  const texts = corpus.flatMap(({ name, secret, text }) =>
    Object.entries(contexts).map(([context, wrap]) => ({
      place: `${name}, in ${context}`,
      isLeaked: leaks(mask(wrap(text)), encodings[context]?.(secret) ?? secret, 8),
    })),
  );
  const leaked = texts.filter(({ isLeaked }) => isLeaked);
  const recall = 1 - leaked.length / texts.length;
  expect(recall, [...new Set(leaked.map(({ place }) => place))].join("\n")).toBeGreaterThanOrEqual(0.98);
});

test("a secret after an escape is masked too", () => {
  const token = `ghp_${"a1B2c3D4".repeat(5)}`;
  for (const before of ["\\n", "\\t", "\\r\\n", "%3D", "%20", "\\u000a", "token%3D"]) {
    expect(mask(`x${before}${token} y`)).toBe(`x${before}[secret] y`);
  }
});

test("at most 5 of 1,000 harmless lines are masked: code, prose, hashes, pictures, logs", () => {
  const lines = harmlessLines();
  expect(lines.length).toBeGreaterThanOrEqual(2_000);
  const alarms = lines.filter((line) => mask(line) !== line);
  expect(alarms.length / lines.length, alarms.slice(0, 20).join("\n")).toBeLessThanOrEqual(0.005);
});

/** Reads lines without secrets that may look like secrets: this project's own code, hashes, base64, logs. */
function harmlessLines(): string[] {
  const random = mulberry32(11);
  const number = (below: number) => Math.floor(random() * below);
  const hash = (algorithm: string, encoding: "hex" | "base64") =>
    createHash(algorithm).update(String(random())).digest(encoding);
  const uuid = () => hash("md5", "hex").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const made = Array.from({ length: 300 }, () => [
    `commit ${hash("sha1", "hex")}`,
    `sha256:${hash("sha256", "hex")}  dist/worker-${hash("md5", "hex").slice(0, 8)}.js`,
    `"integrity": "sha512-${hash("sha512", "base64")}",`,
    `request ${uuid()} took ${number(900)} ms, tokens: ${number(90_000)}, key ${number(99)} of 99`,
    `2026-11-22T04:05:06.${number(999)}Z INFO worker[${number(65_535)}]: session ${uuid()} finished: ok`,
    `data:image/png;base64,${hash("sha512", "base64")}${hash("sha512", "base64")}`,
    `  at Object.<anonymous> (/home/dev/shop/src/token.ts:${number(300)}:${number(80)})`,
    `GET /v1/users/${uuid()}?page=${number(50)}&limit=100 200 ${number(90)} ms`,
  ]).flat();
  const wav = readFileSync(join(repository, "templates", "sounds", "soft.wav")).toString("base64");
  const pages = ["README.md", "LICENSE", "package.json", "biome.json", "templates/messages/en.json"];
  return [
    ...made,
    ...(wav.match(/.{1,76}/g) ?? []),
    ...sources.flatMap(({ text }) => text.split("\n")),
    ...pages.flatMap((page) => readFileSync(join(repository, page), "utf8").split("\n")),
  ].filter((line) => line.trim() !== "");
}

test("the worst line of 100 kB takes a fraction of a second", () => {
  const words = "sk- a: eyJ token= ?x= ?a=%20& :// a.b.c.".split(" ");
  const pieces = [
    ...words,
    'token: "',
    "password: ",
    "Cookie: a=",
    " --token ",
    "password is a ",
    "密码",
    "gh secret set ",
    ...["-----BEGIN PRIVATE KEY-----", "token", "a-", "xoxb-", "&lt;"],
  ];
  const cpuMs = (piece: string) => measureCpuMs(() => mask(piece.repeat(Math.ceil(100_000 / piece.length))));
  expect(pieces.filter((piece) => cpuMs(piece) > 1_000)).toEqual([]); // usually 20 to 40 ms; quadratic: seconds
});

test("95 of 100 secrets in sentences, tables and command lines of seven languages are masked", () => {
  const corpus = sentenceCorpus();
  expect(corpus.length).toBeGreaterThanOrEqual(120);
  const leaked = corpus.filter(({ text, secret }) => leaks(mask(text), secret, 5));
  const recall = 1 - leaked.length / corpus.length;
  expect(recall, leaked.map(({ text }) => text).join("\n")).toBeGreaterThanOrEqual(0.95);
});

const marked = readFixtureLines("masking/each.txt");
const innocents = marked.filter((line) => !line.includes("§"));

test("every marked secret is masked, and no text that only looks like a secret", () => {
  expect(innocents.length).toBeGreaterThanOrEqual(110);
  const isWrong = (line: string) => mask(line.replaceAll("§", "")) !== line.replace(/§[^§]+§/g, "[secret]");
  expect(marked.filter(isWrong)).toEqual([]);
});

const vendorLines = readFixtureLines("mask-corpus.txt");

/** Fills in the lines with secrets. Each number gives other random characters. */
function fill(seed: number) {
  const random = mulberry32(seed);
  return vendorLines
    .filter((line) => line.includes("§"))
    .map((line) => {
      const parts = fillTemplate(line, random).split("§");
      return { text: parts.join(""), secrets: parts.filter((_, index) => index % 2 === 1) };
    });
}

test("95 of 100 secrets are masked as vendors, people and agents write them", () => {
  const corpus = [3, 58, 2026].flatMap(fill);
  expect(corpus.length).toBeGreaterThanOrEqual(3 * 160);
  const leaked = corpus.filter(({ text, secrets }) => secrets.some((secret) => leaks(mask(text), secret, 5)));
  const recall = 1 - leaked.length / corpus.length;
  expect(recall, leaked.map(({ text }) => text).join("\n")).toBeGreaterThanOrEqual(0.95);
});

test("at most 1 of 100 similar lines without secrets is changed", () => {
  const harmless = vendorLines.filter((line) => !line.includes("§"));
  expect(harmless.length).toBeGreaterThanOrEqual(90);
  const changed = harmless.filter((line) => mask(line) !== line);
  expect(changed.length / harmless.length, changed.map(mask).join("\n")).toBeLessThanOrEqual(0.01);
});

test("a masked text stays unchanged the second time", () => {
  const texts = [...sentenceCorpus(), ...fill(3)].map(({ text }) => mask(text));
  const masked = [...texts, ...innocents.map(mask)];
  expect(masked.map(mask)).toEqual(masked);
});
