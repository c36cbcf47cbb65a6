// Prints `passed failed skipped` of a Vitest report: `node scripts/count-tests.mjs REPORT [all]`. Names skipped tests on
// stderr; with `all` they count as failed. A run that failed has at least one failure, even if it left no report.
import { readFileSync } from "node:fs";

const [, , file, mode] = process.argv;
const { numPassedTests: passed = 0, numFailedTests: failed = 0, testResults = [], success = false } = read();
const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
for (const { fullName } of skipped) console.error(`skipped: ${fullName}`);
const mustRun = mode === "all" ? skipped.length : 0;
console.log(passed, Math.max(failed + mustRun, success ? 0 : 1), skipped.length - mustRun);

function read() {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {}; // the runner exited before writing a report
  }
}
