import type { Config } from "../../../config/config.ts";
import { CommandError } from "../../../core/errors.ts";

/** @throws {CommandError} where the configuration names no other machine, and no server */
export function requireSources({ relay }: Config): void {
  if (relay && relay.from.length > 0) return;
  throw new CommandError("no other machine is set up yet", "`beckon relay add -- ssh HOST` sets one up.");
}
