import { expect, test } from "vitest";
import { isExempt } from "../../src/io/proxy.ts";
import { collectFailures } from "../world/collect-failures.ts";

type Row = readonly [list: string, url: string, expected: boolean];

// Compared with curl, except for ports and stars, which curl lacks.
const rows: readonly Row[] = [
  ["", "http://corp.example/", false],
  ["*", "http://corp.example/", true],
  ["corp.example", "http://corp.example/", true],
  ["corp.example", "http://hook.corp.example:1/", true],
  ["corp.example", "http://notcorp.example/", false],
  ["corp.example", "http://corp.example.org/", false],
  ["CORP.example", "http://hook.Corp.Example/", true],
  ["corp.example.", "http://hook.corp.example/", true],
  ["corp.example", "http://hook.corp.example./", true],
  [".corp.example", "http://hook.corp.example/", true],
  [".corp.example", "http://corp.example/", true],
  ["*.corp.example", "http://hook.corp.example/", true],
  ["*.corp.example", "http://other.example/", false],
  ["*example", "http://corp.example/", true],
  ["a.example, corp.example", "http://corp.example/", true],
  ["a.example corp.example", "http://corp.example/", true],
  ["a.example,,", "http://corp.example/", false],
  [".", "http://corp.example/", false],
  ["corp.example:8080", "http://corp.example:8080/", true],
  ["corp.example:8080", "http://corp.example/", false],
  ["corp.example:443", "https://corp.example/", true],
  ["10.9.8.7", "http://10.9.8.7/", true],
  ["10.9.8.7", "http://10.9.8.70/", false],
  ["10.9.8.7:18080", "http://10.9.8.7:18080/", true],
  ["10.0.0.0/8", "http://10.9.8.7:18080/", true],
  ["10.0.0.0/8", "http://11.9.8.7/", false],
  ["10.9.8.0/31", "http://10.9.8.2/", false],
  ["0.0.0.0/0", "http://192.0.2.1/", true],
  ["10.0.0.0/33", "http://10.9.8.7/", false],
  ["10.0.0.0/", "http://10.9.8.7/", false],
  ["10.0.0.0/x", "http://10.9.8.7/", false],
  ["10.0.0.0/8", "http://10.0.0.0.example/", false],
  [".8.7", "http://10.9.8.7/", false],
  ["2001:db8::/32", "http://[2001:db8::1]/", true],
  ["2001:db8::/32", "http://[2001:db9::1]/", false],
  ["[2001:db8::1]", "http://[2001:DB8::1]:99/", true],
  ["[2001:db8::1]:99", "http://[2001:db8::1]:99/", true],
  ["[2001:db8::1]:99", "http://[2001:db8::1]/", false],
  ["2001:db8::1", "http://[2001:db8:0:0::1]/", true],
];

test("NO_PROXY is read as by curl", async () => {
  const check = ([list, url, expected]: Row) => expect(isExempt(new URL(url), list)).toBe(expected);
  const named = rows.map(([list, url, expected]) => [`${list} for ${url}`, list, url, expected] as const);
  expect(await collectFailures(named, ([, ...row]) => check(row))).toEqual([]);
});
