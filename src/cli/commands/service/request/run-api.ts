import { UsageError } from "../../../../core/errors.ts";
import { maskSecrets } from "../../../../service/mask-settings.ts";
import type { RawMethod } from "../../../../service/request.ts";
import type { CliContext } from "../../../context.ts";
import { jsonLine } from "../../../output/json-line.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import { createFailure } from "./failure.ts";
import { readJsonArgument } from "./request-arguments.ts";

/** Options of `beckon service api`. */
export interface ApiOptions extends ConnectOptions {
  /** Parameters as `name=value`. */
  readonly query?: readonly string[];
  readonly body?: string;
  /** True sends the request to the web application. */
  readonly app?: boolean;
  /** True also prints texts in fields with names of secrets. */
  readonly showSecrets?: boolean;
}

/**
 * Runs `beckon service api METHOD PATH`: sends a request and prints the reply as JSON on one line. Texts in fields with
 * names of secrets are masked, unless `showSecrets` is set.
 * @returns the exit code: 0
 * @throws {UsageError | CommandError}
 */
export async function runApi(method: string, path: string, options: ApiOptions, context: CliContext): Promise<number> {
  const { query = [], body: text, app } = options;
  const base: "appUrl" | "baseUrl" = app ? "appUrl" : "baseUrl";
  const body = text === undefined ? undefined : await readJsonArgument("--body", text, context.environment.project);
  const [place = "", search] = path.split(/\?(.*)/s, 2);
  const asked = [...new URLSearchParams(search), ...query.map(parameter)];
  const args = { query: Object.fromEntries(asked), body, base };
  const { client } = await connect(context, options);
  const target = { name: "api", path } as const;
  try {
    const verb = method.toUpperCase() as RawMethod;
    const reply = await client.request(verb, place, args, { signal: context.interruption() });
    const [whole, masked] = [reply, options.showSecrets ? reply : maskSecrets(reply)].map(jsonLine);
    context.print(masked ?? "");
    if (masked !== whole) context.printError("Secrets are shown as [secret]. Use --show-secrets to see them.");
    return 0;
  } catch (error) {
    throw createFailure(error, target, context.paths.config, options.profile);
  }
}

function parameter(text: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(
    "--query must be name=value",
    "Repeat it for more parameters, such as --query limit=5 --query role=user.",
  );
}
