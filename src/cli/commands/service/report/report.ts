import { Option } from "commander";
import type { RegisterCommand } from "../../../context.ts";

const since = "first day, UTC, such as 2026-06-01; or a number of days or weeks, such as 30d or 4w";

/** `beckon service report`. */
export const registerReport: RegisterCommand = (command, run) => {
  command
    .addOption(new Option("--since <day>", since).default("30d", "30d"))
    .option("--until <day>", "last day, UTC (default: yesterday, the last day with data)")
    .option("--out <file>", "write a self-contained HTML page with charts; - for standard output")
    .addOption(new Option("--json", "the report's numbers as one JSON object").conflicts("out"))
    .action((options) => run(async (context) => (await import("./run-report.ts")).runReport(options, context)));
};
