import type { Command } from "commander";
import { Option } from "commander";
import type { CliContext, Finish } from "../../../context.ts";

/** Adds `report` to `beckon service`. */
export function addReport(service: Command, context: CliContext, finish: Finish): void {
  service
    .command("report")
    .description("how the organization used its agents: key figures here, or a page to pass on")
    .option("--since <day>", "first day, or days or weeks as 30d or 4w", "30d")
    .option("--until <day>", "last day; default yesterday (UTC), the last with data")
    .option("--out <file>", "write one HTML page, plots and all, that needs no network; - is standard output")
    .addOption(new Option("--json", "the report's numbers as one object").conflicts("out"))
    .action(async (options) => finish(await (await import("./run-report.ts")).runReport(options, context)));
}
