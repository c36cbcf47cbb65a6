import { type Command, Option } from "commander";
import { kebabCase } from "../../../core/vocabulary.ts";
import type { Endpoint } from "../../../service/endpoint.ts";
import { endpoints } from "../../../service/endpoints.ts";
import type { RegisterCommand, RunCommand } from "../../context.ts";
import { commandWords, helpHint, pathIds } from "./request/command-shape.ts";
import { count, helpText, optionsOf, periodOptions, profileOption, verboseOption } from "./request/options.ts";
import type { Options } from "./request/request-arguments.ts";

/** Descriptions of the resources. */
const resources: Readonly<Record<string, string>> = {
  analytics: "daily numbers: credits, tools, active users, productivity",
  readiness: "how ready repositories are for agents",
  "enterprise-controls": "who changed the organization-wide settings",
  sessions: "agent sessions and their messages",
  computers: "computers that sessions run on",
  users: "users of the organization",
};

const overview = `
Address and key, from the environment or the configuration:
  BECKON_BASE_URL   address of the API, or \`service.baseUrl\`
  BECKON_APP_URL    address of the web application, for readiness reports, or \`service.appUrl\`
  BECKON_API_KEY    key, or \`service.apiKey\` as \${env:…}, \${file:…} or \${command:…}
  BECKON_JWT        a JWT instead of a key; not accepted for analytics and readiness reports
With --profile NAME, \`service.profiles.NAME\` and then \`service\` of the configuration, without these variables.

A list shows one page, and standard error says how to get the rest. After Ctrl-C the exit code is 130.`;

/**
 * `beckon service`: a report, and every operation of the service as `service RESOURCE VERB`, derived from its endpoint.
 */
export const registerService: RegisterCommand = (service, run) => {
  service.addHelpText("after", overview);
  const report = "how the organization uses its agents: key figures in the terminal, or an HTML page to share";
  registerReport(service.command("report").description(report), run);
  registerApi(service.command("api").description("a request that has no command of its own; the reply as JSON"), run);
  for (const endpoint of endpoints) addOperation(resourceCommand(service, endpoint), endpoint, run);
};

/** `--since` of a report where it is not given. */
const reportSince = "30d";

/** `beckon service report`. */
export const registerReport: RegisterCommand = (command, run) => {
  for (const option of periodOptions(reportSince)) command.addOption(option);
  command
    .option("--out <file>", "write a self-contained HTML page with charts; - for standard output")
    .addOption(new Option("--json", "the report's numbers as one JSON object").conflicts("out"))
    .option("--csv <folder>", "write the numbers as CSV files into a folder as well")
    .addOption(new Option("--top <n>", "users to list (default: 25)").argParser(count))
    .option("--no-names", "list users as User 1, User 2 …, and nobody's address")
    .option("--price <amount>", "price of a credit, such as 0.01 or 0.01EUR, to show what it cost")
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
    .argument("<path>", "path below the service's address, e.g. /api/v0/teams")
    .option("--query <name=value>", "a parameter; may be repeated", (text, before: string[] = []) => [...before, text])
    .option("--body <json>", "JSON, @file, or @- for standard input")
    .option("--app", "the path belongs to the web application")
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
  for (const option of optionsOf(endpoint)) command.addOption(option);
  command.showHelpAfterError(helpHint(endpoint));
  command.addHelpText("after", `\n${requestOf(endpoint)}`);
  command.action(async (...args: unknown[]) => {
    const { runOperation } = await import("./request/run-operation.ts");
    const [ids, options] = [args.slice(0, idNames.length) as string[], args[idNames.length] as Options];
    await run((context) => runOperation(endpoint, ids, options, context));
  });
}

/** The request that an operation sends, as the API document writes it, and the roles it needs. */
function requestOf({ method, base, path, roles }: Endpoint): string {
  const address = base === "baseUrl" ? "{base_url}" : "{app_url}";
  return [`${method} ${address}${path}`, ...(roles ? [`for keys with the role ${roles.join(" or ")}`] : [])].join(", ");
}
