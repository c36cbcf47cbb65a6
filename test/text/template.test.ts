import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fill, type TemplateValues, templateNames, unknownNames } from "../../src/text/template.ts";

const names = Object.keys(templateNames) as (keyof typeof templateNames)[];

describe("a filled template", () => {
  test("has each value once and unchanged", () => {
    const value = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.constantFrom("{project}", "{message}", "$&", "$1", "$`", "$'", "$$", "\\", "{", "}", "{{agent}}", "%s"),
    );
    const check = (project: string, message: string) => {
      const filled = fill("<{project}|{message}|{project}>", { project, message });
      expect(filled).toBe(`<${project}|${message}|${project}>`);
    };
    fc.assert(fc.property(value, value, check), { numRuns: 300 });
  });

  test.each<[string, string | readonly string[], TemplateValues, string]>([
    ["no placeholder", "done", {}, "done"],
    ["a missing value", "{project}: {summary}", { project: "shop" }, "shop: "],
    ["the first complete alternative", ["{summary}", "{agent} finished"], { agent: "Droid" }, "Droid finished"],
    ["the first although others are complete too", ["{summary}", "{agent}"], { agent: "a", summary: "s" }, "s"],
    ["the last if none is complete", ["{summary}", "{agent} after {duration}"], { agent: "Droid" }, "Droid after "],
    ["an empty value, which counts as missing", ["{summary}", "nothing said"], { summary: "" }, "nothing said"],
    ["no alternative at all", [], { agent: "Droid" }, ""],
    ["an optional part", "[[{title}: ]]{agent}", { agent: "Droid", title: "Fix it" }, "Fix it: Droid"],
    ["an optional part without its value", "[[{title}: ]]{agent}[[ after {duration}]]", { agent: "Droid" }, "Droid"],
    ["a lone optional part", ["[[{title}: ]]{summary}", "{agent}"], { agent: "a", title: "t" }, "a"],
    ["an optional part of two names, one missing", "a[[ {duration} {tokens}]]", { tokens: "t" }, "a"],
    ["brackets other than an optional part", "[x] [[ ]", {}, "[x] [[ ]"],
    ["a value that looks like an optional part", "{title}", { title: "[[{agent}]]" }, "[[{agent}]]"],
    ["braces other than a placeholder", '{ "a": 1 } {a b}', {}, '{ "a": 1 } {a b}'],
    ["names that every object has", "{constructor}{toString}{__proto__}{hasOwnProperty}", {}, ""],
  ])("copes with %s", (_, template, values, filled) => {
    expect(fill(template, values)).toBe(filled);
  });
});

describe("unknown names in a template", () => {
  test("exclude the documented ones", () => {
    expect(unknownNames(names.map((name) => `{${name}}`))).toEqual([]);
  });

  test.each([
    ["a misspelt one", "{projct}", ["projct"]],
    ["an empty one", "{}", [""]],
    ["another case", "{Project}", ["Project"]],
    ["snake and kebab case", "{session_id} {session-id}", ["session_id", "session-id"]],
    ["names that every object has", "{constructor} {__proto__}", ["constructor", "__proto__"]],
    ["those of alternatives", ["{project}", "{nope}"], ["nope"]],
  ])("are reported: %s", (_, template, unknown) => {
    expect(unknownNames(template)).toEqual(unknown);
  });
});
