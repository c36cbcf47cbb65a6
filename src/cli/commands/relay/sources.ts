import type { Config } from "../../../config/config.ts";
import { CommandError } from "../../../core/errors.ts";

/** Requires at least one machine or server to fetch from. @throws {CommandError} */
export function requireSources({ relay }: Config): void {
  if (relay && relay.from.length > 0) return;
  throw new CommandError("no other machines are set up", "To set one up: beckon relay add -- ssh HOST");
}
