import { cleanLine } from "../../../../core/clean.ts";
import { kebabCase } from "../../../../core/vocabulary.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import {
  ArgumentError,
  BadRequestError,
  ConnectionError,
  ServiceError,
  TimeoutError,
} from "../../../../service/error.ts";
import { CommandError, UsageError } from "../../../errors.ts";
import { commandWords, helpHint, pathIds } from "./command-shape.ts";
import { variables } from "./connect.ts";

/** An error of the client, worded for the command line: what failed, where, what to do. Other errors stay as they are. */
export function failureOf(error: unknown, endpoint: Endpoint, configFile: string): unknown {
  if (error instanceof ArgumentError) return argumentFailure(error, endpoint, configFile);
  if (!(error instanceof ServiceError)) return error;
  const { title, detail, requestId } = error;
  const reason = [title, detail].filter(Boolean).join(": ");
  const request = requestId === undefined ? "" : ` (request ${requestId})`;
  const message = `${error.message}${reason && ` ${reason}`}${request}`;
  return new CommandError(message, hintOf(error, endpoint));
}

function argumentFailure(error: ArgumentError, endpoint: Endpoint, configFile: string): Error {
  if (error.parameter === "appUrl") {
    const hint = `Set ${variables.appUrl}, or \`service.appUrl\` in ${configFile}.`;
    return new CommandError("no address is set for the service's web application", hint);
  }
  if (error.parameter === "jwt") {
    const hint = `Set ${variables.apiKey}; ${variables.jwt} is for /api/v0 alone.`;
    return new CommandError(`${commandWords(endpoint).join(" ")} takes an API key, not a JWT`, hint);
  }
  const ids = pathIds(endpoint);
  const asOnCommandLine = (_: string, name: string, rest: string): string =>
    ids.includes(name) ? `<${kebabCase(name)}>` : `--${kebabCase(name)}${rest.replace(".", " ")}`;
  const message = error.message.replace(/`(\w+)((?:\.\w+)*)`/g, asOnCommandLine);
  return new UsageError(cleanLine(message), error.hint ?? helpHint(endpoint));
}

function hintOf(error: ServiceError, endpoint: Endpoint): string {
  if (error instanceof BadRequestError) return helpHint(endpoint);
  if (error.hint !== undefined) return error.hint;
  const isUnreached = error instanceof ConnectionError || error instanceof TimeoutError;
  return isUnreached ? "Is the address right, and can it be reached from here?" : "Try again later.";
}
