import { type Command, InvalidArgumentError, Option } from "commander";
import { kebabCase } from "../../../core/vocabulary.ts";
import type { Endpoint } from "../../../service/endpoint.ts";
import { endpoints } from "../../../service/endpoints.ts";
import type { RegisterCommand, RunCommand } from "../../context.ts";
import { addExamples, collect, wholeNumber } from "../../options.ts";
import { commandWords, type Field, listFields, pathIds, rowLimitFlag } from "./request/command-shape.ts";
import { defaultSince } from "./request/period.ts";
import type { Options } from "./request/request-arguments.ts";

/** Descriptions of the resources. */
const resources: Readonly<Record<string, string>> = {
  analytics: "show daily numbers: credits, tool use, active users, files and commits",
  readiness: "list reports on how ready repositories are for agents",
  "enterprise-controls": "list changes to the organization-wide settings",
  sessions: "list or start agent sessions, and read their messages",
  computers: "change computers that run sessions, or retry their provisioning",
  users: "list the users of the organization",
};

const overview = `
Environment variables, and the settings that are used if they are not set:
  BECKON_BASE_URL   address of the API; setting: \`service.baseUrl\`
  BECKON_APP_URL    web application, for readiness; setting: \`service.appUrl\`
  BECKON_API_KEY    API key; setting: \`service.apiKey\`, as \${env:…}, \${file:…}
                    or \${command:…}
  BECKON_JWT        JWT to use without a key; not for analytics and readiness
With --profile NAME, these variables are ignored. Settings come from
\`service.profiles.NAME\`, or else from \`service\`; a profile with an address of its
own needs a key of its own.

Lists show one page; use --all for everything. Among analytics, only \`users\`
has pages. The exit code after Ctrl-C is 130.`;

/**
 * Declares `beckon service`: the report, raw requests, and each operation of the API as `service RESOURCE VERB`,
 * derived from its endpoint.
 */
export const registerService: RegisterCommand = (service, run) => {
  service.addHelpText("after", overview);
  const report = "report how your organization uses its agents, in the terminal or as an HTML page";
  registerReport(service.command("report").description(report), run);
  registerApi(service.command("api").description("send a request to the API and print the reply as JSON"), run);
  for (const endpoint of endpoints) addOperation(resourceCommand(service, endpoint), endpoint, run);
};

/** Default of a report's `--since`. */
const reportSince = "30d";

/** Declares `beckon service report`. */
const registerReport: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon service report": "show the last 30 days",
    "beckon service report --since 4w --out usage.html": "write a page with charts about the last four weeks",
    "beckon service report --price 0.01EUR": "show costs as well",
    "beckon service report --budget 3000000": "compare the month so far, and its forecast, with a budget",
    "beckon service report --team teams.csv": "show the usage of each team",
    "beckon service report --csv usage --no-names": "also write CSV files to the folder usage, without names",
  });
  for (const option of periodOptions(reportSince)) command.addOption(option);
  command
    .option("--out <file>", "write an HTML page with charts; - for standard output")
    .addOption(new Option("--json", "print the report as one JSON object").conflicts("out"))
    .option("--csv <folder>", "also write CSV files to this folder")
    .addOption(new Option("--top <n>", "number of users to list; default: 25").argParser(wholeNumber()))
    .option("--no-names", "replace names with User 1, User 2 … and leave out email addresses")
    .option("--price <amount>", "price of a credit with its currency, such as 0.01EUR, to show costs")
    .option(
      "--budget <amount>",
      "monthly budget to compare with a forecast: credits such as 3000000, or money such as 30000EUR, which needs --price",
    )
    .option("--team <file>", "divide users into teams: CSV lines of team and email address, or JSON")
    .option(
      "--sections <names>",
      "extra sections: readiness, settings, sessions, separated by commas, or none; default: settings, and readiness if the web application's address is set",
    )
    .addOption(profileOption())
    .action((options) =>
      run(async (context) =>
        (await import("./report/run-report.ts")).runReport({ since: reportSince, ...options }, context),
      ),
    );
};

const registerApi: RegisterCommand = (command, run) => {
  command
    .argument("<method>", "GET, POST, PUT, PATCH or DELETE")
    .argument("<path>", "path on the server, such as /api/v0/teams")
    .option("--query <name=value>", "query parameter; may be repeated", collect)
    .option("--body <json>", "request body: JSON, @file, or @- for standard input")
    .option("--app", "send the request to the web application instead of the API")
    .option("--json", "print errors as JSON too; replies are always JSON")
    .option("--show-secrets", "show keys, tokens and passwords in the reply instead of [secret]")
    .addOption(profileOption())
    .addOption(verboseOption())
    .action((method, path, options) =>
      run(async (context) => (await import("./request/run-api.ts")).runApi(method, path, options, context)),
    );
};

function resourceCommand(service: Command, endpoint: Endpoint): Command {
  const [name] = commandWords(endpoint);
  const known = service.commands.find((command) => command.name() === name);
  return known ?? service.command(name).description(resources[name] ?? "");
}

function addOperation(resource: Command, endpoint: Endpoint, run: RunCommand): void {
  const [, verb] = commandWords(endpoint);
  const idNames = pathIds(endpoint);
  const command = resource.command(verb).description(helpText(endpoint.summary));
  for (const name of idNames) command.argument(`<${kebabCase(name)}>`);
  for (const option of createOptions(endpoint)) command.addOption(option);
  command.addHelpText("after", `\n${describeRequest(endpoint)}`);
  command.action(async (...args: unknown[]) => {
    const { runOperation } = await import("./request/run-operation.ts");
    const [ids, options] = [args.slice(0, idNames.length) as string[], args[idNames.length] as Options];
    await run((context) => runOperation(endpoint, ids, options, context));
  });
}

/** Describes the request that an operation sends, and the roles that the key needs. */
function describeRequest({ method, base, path, roles }: Endpoint): string {
  const server = base === "baseUrl" ? "API" : "web application";
  const request = `Request to the ${server}: ${method} ${path}`;
  return roles ? `${request}\nThe key needs the role ${roles.join(" or ")}.` : request;
}

/** Creates the options of an operation's command: one for each parameter or field, and the options for the output. */
function createOptions(endpoint: Endpoint): Option[] {
  const schema = endpoint.query ?? endpoint.body;
  const fields = schema ? listFields(schema).filter(({ flag }) => flag !== rowLimitFlag) : [];
  const fieldOptions = fields.map((field) => createOption(field, endpoint.daily === true));
  return [
    ...(endpoint.daily ? periodOptions(defaultSince) : []),
    ...fieldOptions,
    ...outputOptions(endpoint),
    profileOption(),
    verboseOption(),
  ];
}

/** Creates the option `--profile`, which chooses another organization. */
function profileOption(): Option {
  return new Option(
    "--profile <name>",
    "use the organization with this name in `service.profiles` of the configuration",
  );
}

/** Creates the option `--verbose`, which logs requests and replies. */
function verboseOption(): Option {
  return new Option("--verbose", "log requests and replies to standard error, without the key; same as BECKON_LOG=1");
}

/**
 * Creates the options `--since` and `--until`.
 * @param since default of `--since`
 */
function periodOptions(since: string): Option[] {
  const about = "first day (UTC), such as 2026-06-01, or a number of days or weeks, such as 7d or 4w";
  return [
    new Option("--since <day>", `${about}; default: ${since}`),
    new Option("--until <day>", "last day (UTC); default: yesterday, the last day with data"),
  ];
}

function createOption(field: Field, hasPeriod: boolean): Option {
  const option = new Option(`${field.flag} <${formatPlaceholder(field)}>`, describe(field, hasPeriod));
  if (field.choices) option.choices(field.choices);
  if (field.kind === "number") option.argParser(number);
  if (field.kind === "texts") option.argParser(collect);
  return option.makeOptionMandatory(field.isRequired && !hasPeriod);
}

/** Returns the placeholder for a value in the help. */
function formatPlaceholder({ kind, path, choices }: Field): string {
  const name = path.at(-1) ?? "";
  if (kind === "number") return "n";
  if (kind === "json") return "json";
  if (choices) return "name";
  const [, word = "text"] = /(date|id|cursor)s?$/i.exec(name) ?? [];
  return word.toLowerCase().replace("date", "day");
}

/** Converts a sentence to the style of commander's help: no capital, no full stop. */
function helpText(sentence: string): string {
  return sentence.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
}

function describe({ description, kind, isRequired }: Field, hasPeriod: boolean): string {
  const text = helpText(description);
  const remarks = [
    kind === "json" && "JSON, @file, or @- for standard input",
    kind === "texts" && "may be repeated",
    isRequired && (hasPeriod ? "--start-date and --end-date go together and replace --since and --until" : "required"),
  ].filter(Boolean);
  return remarks.length === 0 ? text : `${text} (${remarks.join("; ")})`;
}

function outputOptions({ items, paging }: Endpoint): Option[] {
  const isList = items !== undefined;
  const json = new Option("--json", isList ? "print one JSON object per line" : "print one JSON object").conflicts(
    "csv",
  );
  const csv = new Option("--csv", "print comma-separated values with a header; nested values as JSON");
  if (!isList) return [json, csv];
  const columns = new Option("--columns <names>", "show only these columns, in this order, separated by commas");
  const each = new Option("--each <list>", "print CSV with a row for each item of this nested list");
  const shape = [columns.conflicts("json"), each.conflicts("json").implies({ csv: true })];
  const limit = new Option(`${rowLimitFlag} <n>`, "show at most this many rows")
    .argParser(wholeNumber())
    .conflicts("all");
  const isWhole = paging?.parameter === "startDate";
  const all = new Option(
    "--all",
    isWhole ? "fetch all days, as is the default" : "fetch all pages instead of the first",
  );
  return [limit, all, json, csv, ...shape];
}

function number(text: string): number {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number.");
}
