import { expect, test } from "vitest";
import {
  changeText,
  counted,
  daysText,
  dayText,
  instantText,
  moneyText,
  numberText,
  perDayText,
  periodText,
  ratioText,
  shareText,
  shortNumber,
  spanText,
} from "../../src/report/format.ts";

test.each([
  [0, "0"],
  [1.256, "1.26"],
  [99.5, "99.5"],
  [100.4, "100"],
  [1_234_567, "1,234,567"],
  [-1234.5, "-1,235"],
  [1.5e300, "1.50e+300"],
])("the number %d is written %s", (value, text) => {
  expect(numberText(value)).toBe(text);
});

test.each([
  ["a narrow number", shortNumber(87_141_104), "87.1M"],
  ["a share", shareText(1, 3), "33.3%"],
  ["a share of nothing", shareText(0, 0), "0.0%"],
  ["one", counted(1, "days"), "1 day"],
  ["several", counted(1200, "days"), "1,200 days"],
  ["a day", dayText("2026-06-01"), "1 Jun"],
  ["an average", perDayText(3000, 2), "1,500 a day"],
  ["an average below 1", perDayText(3, 7), "0.43 a day"],
  ["an average of nothing", perDayText(0, 0), "0 a day"],
  ["a period", periodText({ startDate: "2026-06-01", endDate: "2026-07-02" }), "1 Jun 2026 to 2 Jul 2026"],
  ["a period of one day", periodText({ startDate: "2026-06-01", endDate: "2026-06-01" }), "1 Jun 2026"],
  ["a span of one day", spanText("2026-06-01", "2026-06-01"), "1 Jun"],
  ["a span within a month", spanText("2026-06-01", "2026-06-07"), "1–7 Jun"],
  ["a span over months", spanText("2026-06-29", "2026-07-05"), "29 Jun – 5 Jul"],
  ["a ratio", ratioText(3.4), "3.40"],
  ["an amount", moneyText(1234.5, "EUR"), "€1,234.50"],
  ["an amount without currency", moneyText(1234.5, ""), "1,234.50"],
  ["a small price", moneyText(0.00002, "EUR"), "€0.00002"],
  ["a rise", changeText(0.123), "+12.3%"],
  ["a fall", changeText(-0.04), "−4.0%"],
  ["no change", changeText(-0.0004), "±0.0%"],
  ["a great rise", changeText(11), "×12"],
  ["days that are all there", daysText(30, 30), "30 days, UTC"],
  ["days of which some are there", daysText(22, 30), "22 of 30 days have data, UTC"],
  ["an instant", instantText("2026-06-15T12:04:00.000Z"), "15 Jun 2026, 12:04 UTC"],
])("%s is written as people write it", (_, text, expected) => {
  expect(text).toBe(expected);
});
