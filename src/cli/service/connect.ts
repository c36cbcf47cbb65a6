import { createExec } from "../../io/exec.ts";
import { ArgumentError } from "../../service/error.ts";
import { ServiceClient } from "../../service.ts";
import type { CliContext } from "../context.ts";
import { CommandError } from "../errors.ts";
import { findAccess, variables } from "../commands/service/request/connect.ts";

/**
 * The service's client with the addresses and the key of the environment and the configuration.
 * @throws {CommandError} that says what to set, or what is wrong with what is set
 */
export async function connect(context: CliContext): Promise<ServiceClient> {
  const access = await findAccess(context, createExec(context.place.env));
  try {
    return new ServiceClient({ ...access, ...(context.now && { now: context.now }) });
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const name = error.parameter as keyof typeof variables;
    const hint = [error.hint, `It is from ${variables[name]}, or \`service.${name}\` in ${context.paths.config}.`];
    throw new CommandError(error.message, hint.filter(Boolean).join(" "));
  }
}
