import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { createClock } from "../../../io/clock.ts";
import { serve } from "../../../relay/serve.ts";
import type { CliContext } from "../../context.ts";

/** Runs `beckon relay serve --stdio`. */
export async function runServe(context: CliContext): Promise<number> {
  requireOwnRoot(context);
  await serve(context.paths, { input: process.stdin, output: process.stdout, clock: createClock() });
  return 0;
}
