import type { Command } from "commander";
import { kebabCase } from "../../../core/vocabulary.ts";
import type { Endpoint } from "../../../service/endpoint.ts";
import { endpoints } from "../../../service/endpoints.ts";
import type { CliContext, Finish } from "../../context.ts";
import type { Options } from "./request/request-arguments.ts";
import { partsOf, wordsOf } from "../../service/names.ts";
import { optionsOf } from "./request/options.ts";
import { addReport } from "./report/report.ts";

/** What is below each word after `service`. */
const resources: Readonly<Record<string, string>> = {
  analytics: "daily numbers: credits, tools, active users, productivity",
  readiness: "how ready repositories are for agents",
  "enterprise-controls": "who changed the organization-wide settings",
  sessions: "agent sessions and their messages",
  computers: "computers that sessions run on",
  users: "users of the organization",
};

const overview = `
Where to ask, and with which key:
  BECKON_BASE_URL   address of the API                 or \`service.baseUrl\` in the configuration
  BECKON_APP_URL    address of the web application     or \`service.appUrl\`: readiness reports are there
  BECKON_API_KEY    a key                              or \`service.apiKey\`, as \${env:…}, \${file:…} or \${command:…}
  BECKON_JWT        a JWT in place of a key; analytics and readiness reports do not take it

Lists show one page, and say on standard error how to get the rest. Exit code 130 after Ctrl-C.`;

/** Adds every operation of the service as `service RESOURCE VERB`, made from what is known of its endpoint. */
export function addServiceCommands(service: Command, context: CliContext, finish: Finish): void {
  service.addHelpText("after", overview);
  addReport(service, context, finish);
  for (const endpoint of endpoints) addOperation(resourceCommand(service, endpoint), endpoint, context, finish);
}

function resourceCommand(service: Command, endpoint: Endpoint): Command {
  const [name] = wordsOf(endpoint);
  const known = service.commands.find((command) => command.name() === name);
  return known ?? service.command(name).description(resources[name] ?? "");
}

function addOperation(resource: Command, endpoint: Endpoint, context: CliContext, finish: Finish): void {
  const [, verb] = wordsOf(endpoint);
  const parts = partsOf(endpoint);
  const command = resource.command(verb).description(endpoint.summary.replace(/\.$/, ""));
  for (const part of parts) command.argument(`<${kebabCase(part)}>`);
  for (const option of optionsOf(endpoint)) command.addOption(option);
  command.showHelpAfterError(`See \`beckon service ${wordsOf(endpoint).join(" ")} --help\`.`);
  command.addHelpText("after", `\n${requestOf(endpoint)}`);
  command.action(async (...args: unknown[]) => {
    const { runOperation } = await import("./request/run-operation.ts");
    const [ids, options] = [args.slice(0, parts.length) as string[], args[parts.length] as Options];
    finish(await runOperation(endpoint, ids, options, context));
  });
}

/** The request behind an operation, as the service's document writes it, and who may send it. */
function requestOf({ method, base, path, roles }: Endpoint): string {
  const address = base === "baseUrl" ? "{base_url}" : "{app_url}";
  return [`${method} ${address}${path}`, ...(roles ? [`for keys with the role ${roles.join(" or ")}`] : [])].join(", ");
}
