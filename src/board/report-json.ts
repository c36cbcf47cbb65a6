import { omitUndefined } from "../core/omit-undefined.ts";
import type { DayReport } from "./board.ts";
import type { Figures } from "./figures.ts";
import type { Reach } from "./reach.ts";
import type { Share } from "./shares.ts";

/** Builds the output of `beckon today --json`: durations in milliseconds, instants in ISO 8601. */
export function reportJson({ day, figures, usual, projects, agents, reach }: DayReport) {
  const { days, ...before } = usual;
  return {
    day,
    ...figuresJson(figures),
    ...(days > 0 && { usual: { days, ...figuresJson(before) } }),
    projects: projects.map(shareJson),
    agents: agents.map(shareJson),
    notifiers: reach.map(reachJson),
  };
}

function figuresJson({ waitedMs, reactionMs, calls, held, finished, failed }: Figures) {
  return { waitedMs, ...omitUndefined({ reactionMs }), calls, held, finished, failed };
}

function shareJson({ name, sessions, tokens, credits, ...figures }: Share) {
  return { name, sessions, ...figuresJson(figures), ...omitUndefined({ tokens, credits }) };
}

function reachJson({ notifier, sent, held, failed, error }: Reach) {
  const said = error && { at: new Date(error.atMs).toISOString(), reason: error.reason, isOver: error.isOver };
  return { notifier, sent, held, failed, ...omitUndefined({ error: said }) };
}
