import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { statementsOf, tomlTokens } from "../../../../src/installer/editors/toml/statements.ts";
import { tomlSettings } from "../../toml-texts.ts";

test.each([
  ["a = 1", ["pair: a = 1"]],
  ["a = 1 # c\n# d\n\n[x] # e\r\nb=2", ["pair: a = 1 # c", "comment: # d", "header: [x] # e", "pair: b=2"]],
  ["a = [1, # c\n  2,\n]\n[[x.y]]", ["pair: a = [1, # c\n  2,\n]", "header: [[x.y]]"]],
  ['a = """x\n[no]\n"""', ['pair: a = """x\n[no]\n"""']],
  ['a = """x"""""\n[b]', ['pair: a = """x"""""', "header: [b]"]],
  ["a = '''it's ''''\n[b]", ["pair: a = '''it's ''''", "header: [b]"]],
  ['a = "\\"#" # c', ['pair: a = "\\"#" # c']],
  ["a = 'c:\\'\n[b]", ["pair: a = 'c:\\'", "header: [b]"]],
  ["a = \"\"\nb = ''", ['pair: a = ""', "pair: b = ''"]],
  ['a = """\\""""\n[b]', ['pair: a = """\\""""', "header: [b]"]],
  ['"a]" . \'b=\' = { c = "}" , d = [ {} ] }', ['pair: "a]" . \'b=\' = { c = "}" , d = [ {} ] }']],
  ["", []],
  [" \n\t\n", []],
])("the statements of %j", (text, expected) => {
  expect(() => parse(text)).not.toThrow();
  expect([...statementsOf(text)].map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`)).toEqual(expected);
});

test("tokens leave out nothing but white space, and each statement parses by itself", () => {
  const property = fc.property(tomlSettings, (text) => {
    let at = 0;
    for (const { start, end } of tomlTokens(text)) {
      expect(text.slice(at, start)).toMatch(/^[ \t]*$/);
      at = end;
    }
    expect(text.slice(at)).toMatch(/^[ \t]*$/);
    for (const { start, end } of statementsOf(text)) expect(() => parse(text.slice(start, end))).not.toThrow();
  });
  fc.assert(property, { numRuns: 300 });
});

test("a string of five megabytes is one token", () => {
  const text = `a = """${"x\\\n".repeat(1_700_000)}"""`;
  expect([...tomlTokens(text)]).toHaveLength(3);
});
