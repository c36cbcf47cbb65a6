import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clean, cleanLine } from "../../src/text/clean.ts";
import { measureCpuMs } from "../core/cpu-time.ts";

const esc = "\u001b";
const bell = "\u0007";
const stringEnd = `${esc}\\`;

/** Text with terminal control parts between plain parts. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.constantFrom(esc, bell, stringEnd, "\u009b", "\u009d", "\u0090", "\u009c", "\r", "\n", "\u2028", "\0"),
      fc.constantFrom("[31m", "]0;", "]52;c;", "P", "_G", "^", "X", ";", "[", "]", "\\", "~", "m", "0"),
      fc.constantFrom("\ud83d", "\ude00", "\u202e", "\u2066", "\ufeff", "\u{e0041}", "\u200d", "\u200c"),
    ),
    { maxLength: 40 },
  )
  .map((bits) => bits.join(""));
const forAnyText = (check: (text: string) => unknown) =>
  fc.assert(
    fc.property(hostileText, (text) => void check(text)),
    { numRuns: 300 },
  );

const unwanted =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

describe("cleaned text", () => {
  test("contains no control character but line feed and tab, no override and no tag", () => {
    forAnyText((text) => expect(clean(text)).not.toMatch(unwanted));
  });

  test("is valid Unicode, and cleaning it again changes nothing", () => {
    forAnyText((text) => {
      const cleaned = clean(text);
      expect(cleaned.isWellFormed()).toBe(true);
      expect(clean(cleaned)).toBe(cleaned);
    });
  });

  test("adds nothing but line feeds and replacement characters", () => {
    forAnyText((text) => {
      const isAdded = (character: string) => !text.includes(character) && !/[\n\ufffd]/.test(character);
      expect([...clean(text)].filter(isAdded)).toEqual([]);
    });
  });

  test.each([
    ["Latin", "Fertig: drei Prüfungen sind grün, naïve façade"],
    ["Greek and Cyrillic", "Έτοιμο. Готово!"],
    ["Arabic with a mark for its direction", "تم \u200fالانتهاء\u200e (3)"],
    ["Hebrew", "הסתיים בהצלחה"],
    ["Persian with a zero-width non-joiner", "می\u200cخواهم"],
    ["Devanagari, Tamil, Thai", "क्षत्रिय நன்றி เสร็จแล้ว"],
    ["Chinese, Japanese, Korean", "完成しました 你好 완료"],
    ["a family, a flag, a keycap, a skin tone", "👨‍👩‍👧‍👦 🇩🇪 1️⃣ 👍🏽 ❤️‍🔥"],
    ["combining marks", "e\u0301 o\u0308\u0304"],
    ["code", 'if (a < b && c > d) { x[0] ??= `\\e[31m`; }\n\treturn "\'$&%s{0}";'],
    ["tabs and lines", "a\tb\n\n  c"],
  ])("keeps %s unchanged", (_, text) => {
    expect(clean(text)).toBe(text);
  });

  test.each([
    ["a colour", `${esc}[1;31mred${esc}[0m`, "red"],
    ["a cursor movement with a question mark", `${esc}[?25lhidden${esc}[?25h`, "hidden"],
    ["a colour in 8 bits", "\u009b31mred\u009bm", "red"],
    ["a window title up to BEL", `a${esc}]0;owned${bell}b`, "ab"],
    ["a window title up to ST", `a${esc}]0;owned${stringEnd}b`, "ab"],
    ["a window title up to ST in 8 bits", "a\u009d0;owned\u009cb", "ab"],
    ["the clipboard", `a${esc}]52;c;cm0gLXJm${bell}b`, "ab"],
    ["a link, but not its text", `${esc}]8;;https://evil.example${stringEnd}click${esc}]8;;${stringEnd}`, "click"],
    ["a title without an end, up to the end of its line", `a${esc}]0;owned\nb`, "a\nb"],
    ["a title without an end in the last line", `a${esc}]0;abc`, "a"],
    ["a device control string", `a${esc}P1$r0m${stringEnd}b`, "ab"],
    ["a device control string in 8 bits", "a\u0090q#0\u009cb", "ab"],
    ["an application command (kitty's images)", `a${esc}_Gf=24;AAAA${stringEnd}b`, "ab"],
    ["a privacy message and a start of string", `a${esc}^x${stringEnd}${esc}Xy${stringEnd}b`, "ab"],
    ["a colour inside a title", `a${esc}]0;x${esc}[31my${bell}b`, "ayb"],
    ["a title inside a title", `a${esc}]0;x${esc}]0;y${bell}b`, "ab"],
    ["a character set and a reset", `${esc}(0a${esc}c`, "a"],
    ["an escape at the very end", `a${esc}`, "a"],
    ["a sequence cut off", `a${esc}[1;`, "a"],
    ["a sequence that only appears once another is gone", `${esc}${esc}[0m[31mred`, "[31mred"],
    ["backspaces and a carriage return over the line", "safe\b\b\b\bevil\rnew", "safeevil\nnew"],
    ["NUL, DEL and the rest of C1", "a\0b\u007fc\u0085d", "abcd"],
    ["line ends of Windows and of Unicode", "a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"],
    ["overrides and isolates", "user\u202etxt.exe\u202c \u2066x\u2069", "usertxt.exe x"],
    ["invisible tags", "hi\u{e0049}\u{e0067}\u{e007f}", "hi"],
    ["a byte-order mark", "\ufeffhi", "hi"],
    ["halves of a surrogate pair", "a\ud83db\ude00c", "a\ufffdb\ufffdc"],
    ["halves that a sequence kept apart", `\ud83d${esc}[0m\ude00`, "😀"],
  ])("is free of %s", (_, text, cleaned) => {
    expect(clean(text)).toBe(cleaned);
  });

  test.each([
    ["escapes", esc],
    ["titles without an end", `${esc}]0;`],
    ["colours", `${esc}[31m`],
    ["parameters without an end", `${esc}[1;2;3;4`],
    ["letters", "abcdefg "],
  ])("takes little time, even for a megabyte of %s", (_, bit) => {
    const text = bit.repeat(Math.ceil(1_000_000 / bit.length));
    expect(measureCpuMs(() => clean(text))).toBeLessThan(500);
  });
});

describe("a cleaned line", () => {
  test("is one trimmed line without double spaces, and cleaning it again changes nothing", () => {
    forAnyText((text) => {
      const line = cleanLine(text);
      expect(line).not.toMatch(/^\s|\s$|\s\s|[^\S ]/);
      expect(cleanLine(line)).toBe(line);
    });
  });

  test("joins texts separated by lines, tabs and wide spaces", () => {
    expect(cleanLine("\n a\t\tb\r\n\u3000c ")).toBe("a b c");
  });
});
