import { CommandError, transientReasons, UsageError } from "../../../../core/errors.ts";
import { kebabCase } from "../../../../core/vocabulary.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { ArgumentError, ConnectionError, NotFoundError, ParseError, ServiceError } from "../../../../service/error.ts";
import { cleanLine } from "../../../../text/clean.ts";
import { commandWords, helpHint, listFields, pathIds } from "./command-shape.ts";
import { describeSource, variables } from "./connect.ts";

/** Facts about an operation that errors mention. */
type Named = Pick<Endpoint, "name"> & Partial<Pick<Endpoint, "query" | "body">> & { readonly path: string };

/**
 * Rewords an error of the client for the command line. Other errors stay unchanged.
 * @param profile name of the profile in use, if any
 */
export function createFailure(error: unknown, endpoint: Named, configFile: string, profile?: string): unknown {
  if (error instanceof ArgumentError) return argumentFailure(error, endpoint, configFile, profile);
  if (!(error instanceof ServiceError)) return error;
  const { title, detail, excerpt } = error;
  const reason = [title, detail].filter(Boolean).join(": ");
  const message = `${error.message}${reason && ` ${reason}`}${describeRequest(error)}`;
  const isShort = excerpt === undefined || excerpt.length <= maxExcerptChars;
  const shown = isShort ? excerpt : `${excerpt.slice(0, maxExcerptChars).toWellFormed()} …`;
  const reply = shown === undefined ? "" : `\n  The reply: ${shown}`;
  return new CommandError(message, `${chooseHint(error, endpoint)}${reply}`);
}

/** Maximum length of a reply's excerpt, in characters. */
const maxExcerptChars = 200;

/** Describes the request by its id, for the service's support. For an unexpected reply, adds method and path. */
function describeRequest(error: ServiceError): string {
  const { method, path = "", status, requestId } = error;
  const request = error instanceof ParseError ? [`${method} ${path}`, `status ${status}`] : [];
  const known = [...request, ...(requestId === undefined ? [] : [`request ${requestId}`])];
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

function argumentFailure(error: ArgumentError, endpoint: Named, configFile: string, profile?: string): Error {
  if (error.parameter === "appUrl") {
    const hint = `Set ${describeSource("appUrl", profile)} in ${configFile}.`;
    return new CommandError("the address of the service's web application is not set", hint);
  }
  if (error.parameter === "jwt") {
    const hint = `Set ${variables.apiKey}; ${variables.jwt} only works for /api/v0.`;
    return new CommandError(`${commandWords(endpoint).join(" ")} needs an API key instead of a JWT`, hint);
  }
  const ids = [...pathIds(endpoint), "method", "path"];
  const schema = endpoint.query ?? endpoint.body;
  const flags = new Map((schema ? listFields(schema) : []).map(({ path, flag }) => [path.join("."), flag]));
  const asOnCommandLine = (_: string, name: string, rest: string): string =>
    ids.includes(name)
      ? `<${kebabCase(name)}>`
      : (flags.get(name + rest) ?? `--${kebabCase(name)}${rest.replace(".", " ")}`);
  const message = error.message.replace(/`(\w+)((?:\.\w+)*)`/g, asOnCommandLine);
  return new UsageError(cleanLine(message), error.hint ?? helpHint(endpoint));
}

/** Chooses a hint by the reason: try again later for a transient failure, read the help for rejected arguments. */
function chooseHint(error: ServiceError, endpoint: Named): string {
  const { hint, reason, status = 0 } = error;
  const isRefused = reason === "rejected" && status >= 400 && !(error instanceof NotFoundError);
  if (isRefused) return helpHint(endpoint);
  if (hint !== undefined) return hint;
  if (error instanceof ConnectionError && error.message.includes("cannot be reached")) {
    return "Check the address and your network connection.";
  }
  return (transientReasons as readonly string[]).includes(reason) ? "Try again later." : helpHint(endpoint);
}
