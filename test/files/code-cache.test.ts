import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runWithCodeCache } from "../../src/files/code-cache.ts";
import { freshFolder } from "../world/fresh-folder.ts";

const own = `program-${process.version}-${process.arch}.bin`;
const posix = process.platform !== "win32";
let program: string;
let folder: string;
let file: string;

beforeEach(() => {
  const home = freshFolder();
  [program, folder] = [join(home, "program.cjs"), join(home, "compiled")];
  file = join(folder, own);
  write("one");
});

function write(answer: string): void {
  writeFileSync(
    program,
    `exports.answer = () => "${answer}"; exports.name = __filename; exports.path = require("path");`,
  );
}

/** Starts the program, calls it, and saves its code. Returns the answer. */
function start(): string {
  const { exports, save } = runWithCodeCache(program, folder);
  const answer = (exports as { answer(): string }).answer();
  save();
  return answer;
}

/** Identifies a written file. A file that is replaced by the same bytes gets another inode. */
const identify = () => `${statSync(file).ino} ${statSync(file).mtimeMs}`;
const digest = (data: Buffer) => createHash("sha256").update(file).update(readFileSync(program)).update(data).digest();

test("a program has exports, file name and require(), and its code is kept in a private folder", () => {
  const { exports } = runWithCodeCache(program, folder);
  expect(exports).toMatchObject({ name: program, path: { sep: expect.any(String) } });
  expect(start()).toBe("one");
  expect(readdirSync(folder)).toEqual([own]);
  if (posix) expect([folder, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  const kept = identify();
  expect(start()).toBe("one");
  expect(identify()).toBe(kept); // V8 took it, or it would be replaced
});

const damages: Readonly<Record<string, () => void>> = {
  "is cut": () => writeFileSync(file, readFileSync(file).subarray(0, 100)),
  "is empty": () => writeFileSync(file, ""),
  "has one other bit": () => {
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 1, bytes.length - 9);
    writeFileSync(file, bytes);
  },
  "was made from other code of the same length": () => write("two"),
  "was made by another version of Node": () => {
    const bytes = readFileSync(file);
    const other = createHash("sha256").update(join(folder, "program-v20.0.0-x64.bin")).update(readFileSync(program));
    writeFileSync(file, Buffer.concat([other.update(bytes.subarray(32)).digest(), bytes.subarray(32)]));
  },
  "is refused by V8": () => {
    write("six"); // V8 would have the other code in memory
    const data = readFileSync(file).subarray(32).fill(7, 0, 8);
    writeFileSync(file, Buffer.concat([digest(data), data]));
  },
};

test.each(Object.keys(damages))("a cache that %s is not used, and replaced", (name) => {
  start();
  damages[name]?.();
  const [, expected] = /"(\w+)";/.exec(readFileSync(program, "utf8")) ?? [];
  const before = identify();
  expect(start()).toBe(expected);
  expect(identify()).not.toBe(before);
  const kept = identify();
  expect(start()).toBe(expected);
  expect(identify()).toBe(kept);
});

test.runIf(posix)("links are not followed, and folders that others can enter are not trusted", () => {
  const elsewhere = join(dirname(folder), "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  symlinkSync(elsewhere, folder);
  expect(start()).toBe("one");
  expect(lstatSync(folder).isSymbolicLink()).toBe(false);
  expect(readdirSync(elsewhere)).toEqual([]);
  renameSync(file, join(elsewhere, own));
  const target = readFileSync(join(elsewhere, own));
  symlinkSync(join(elsewhere, own), file);
  expect(start()).toBe("one");
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(join(elsewhere, own)).equals(target)).toBe(true);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "planted"), "");
  expect(start()).toBe("one");
  expect(readdirSync(folder)).toEqual([own]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a program runs where nothing can be stored", () => {
  writeFileSync(folder, "");
  expect(start()).toBe("one"); // a file in the folder's place is removed
  expect(readdirSync(folder)).toEqual([own]);
  renameSync(file, `${file}.old`);
  mkdirSync(file);
  expect(start()).toBe("one");
  folder = join(dirname(folder), "missing", "compiled");
  expect(start()).toBe("one");
  expect(readdirSync(dirname(dirname(folder)))).not.toContain("missing");
});

test("a part that a program requires runs once and has a cache of its own", () => {
  writeFileSync(join(dirname(program), "worker-part.cjs"), "globalThis.runs = (globalThis.runs ?? 0) + 1;");
  writeFileSync(program, 'for (const _ of "ab") require("./worker-part.cjs"); exports.answer = () => globalThis.runs;');
  expect([start(), start()]).toEqual([1, 2]);
  expect(readdirSync(folder).toSorted()).toEqual([own, own.replace("program", "worker-part")]);
});

test("two starts that save at once leave one usable cache", () => {
  const both = [runWithCodeCache(program, folder), runWithCodeCache(program, folder)];
  for (const { save } of both) save();
  expect(readdirSync(folder)).toEqual([own]);
  const kept = identify();
  expect(start()).toBe("one");
  expect(identify()).toBe(kept);
});
