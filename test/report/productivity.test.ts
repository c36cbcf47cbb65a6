import fc from "fast-check";
import { expect, test } from "vitest";
import { productivityOf } from "../../src/report/productivity.ts";
import { days, productivityRows, sumOf } from "./rows.ts";

test("every number is the sum of the rows", () => {
  fc.assert(
    fc.property(productivityRows, (rows) => {
      const { commits, pullRequests, filesCreated, filesEdited, languages } = productivityOf(rows, days);
      expect(commits.total).toBe(sumOf(rows, (row) => row.git_commits));
      expect(pullRequests.total).toBe(sumOf(rows, (row) => row.git_prs_created));
      expect(filesCreated).toBe(sumOf(rows, (row) => row.files_created));
      expect(filesEdited).toBe(sumOf(rows, (row) => row.files_edited));
      expect(languages.total).toBe(sumOf(rows, (row) => sumOf(row.by_language, ({ count }) => count)));
      days.forEach((day, n) => {
        const own = rows.filter(({ date }) => date === day);
        expect(commits.values[n]).toBe(sumOf(own, (row) => row.git_commits));
      });
    }),
    { numRuns: 200 },
  );
});
