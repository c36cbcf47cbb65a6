import type { RealAgent } from "./agent.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { grok } from "./grok.ts";
import { kilo } from "./kilo.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

/** The available agents; `options.ts` says how many of the first run by default. */
export const realAgents: readonly RealAgent[] = [
  ...[claude, codex, gemini, qwen, droid, copilot],
  ...[opencode, kimi, grok, kilo, pi, cline],
];
