import { describe, expect, test } from "vitest";
import { parseBudget, parseSections } from "../../../../../src/cli/commands/service/report/run-report.ts";

const euro = { perCredit: 0.01, currency: "EUR" };

describe("--budget", () => {
  test.each([
    ["credits", "3000000", undefined, 3_000_000],
    ["credits beside a price", "3000000", euro, 3_000_000],
    ["money at the price", "30000EUR", euro, 3_000_000],
    ["money with the currency in front, in small letters", "eur 30000", euro, 3_000_000],
  ])("takes %s", (_, text, price, credits) => {
    expect(parseBudget(text, price)).toEqual({ credits });
  });

  test.each([
    ["money without a price", "30000EUR", undefined, "--budget in money needs a price"],
    ["another currency than the price", "30000USD", euro, "--budget is in USD, and --price in EUR"],
    ["0", "0", undefined, "--budget must be an amount above 0"],
    ["a word", "lots", undefined, "--budget must be an amount above 0"],
    ["a negative amount", "-5", undefined, "--budget must be an amount above 0"],
  ])("refuses %s", (_, text, price, says) => {
    expect(() => parseBudget(text, price)).toThrow(says);
  });
});

describe("--sections", () => {
  test.each([
    ["the settings without the address of the web application", undefined, false, ["settings"]],
    ["readiness as well with it", undefined, true, ["readiness", "settings"]],
    ["none", "none", true, []],
    ["those named", "sessions, settings", true, ["sessions", "settings"]],
  ])("are %s", (_, text, hasAppUrl, expected) => {
    expect(parseSections(text, hasAppUrl)).toEqual(expected);
  });

  test.each(["people", "", "sessions,"])("%j is refused, with the names there are", (text) => {
    expect(() => parseSections(text, true)).toThrow("--sections does not know");
  });
});
