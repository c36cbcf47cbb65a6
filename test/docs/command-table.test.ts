import { Command, Option } from "commander";
import { expect, test } from "vitest";
import { commandTable } from "../../src/docs/command-table.ts";

test("a command is shown with its arguments and options, in place of its group", () => {
  const program = new Command("beckon");
  const config = program.command("config").description("the file");
  config
    .command("add")
    .description("add one")
    .argument("[type]")
    .option("--name <name>", "its name")
    .option("--no-test", "send nothing");
  program
    .command("retry")
    .description("again")
    .argument("<id...>")
    .option("--limit <n>", "how many", Number, 50)
    .addOption(new Option("--scope <scope>", "where").choices(["user", "project"]));
  expect(commandTable(program.commands).split("\n").slice(2)).toEqual([
    "| `beckon config add [type]` | add one | `--name <name>` its name<br>`--no-test` send nothing |",
    "| `beckon retry <id...>` | again | `--limit <n>` how many (default `50`)<br>`--scope <scope>` where (`user`, `project`) |",
  ]);
});
