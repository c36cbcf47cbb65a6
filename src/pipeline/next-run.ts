import type { AgentEvent } from "../core/event.ts";
import { at, toList } from "../core/json-value.ts";
import { quietly } from "../core/quietly.ts";
import { cleanLine } from "../text/clean.ts";
import { clockTime } from "../text/local-time.ts";

/** Maximum number of schedules that are evaluated. */
const maxCrons = 20;
/** Maximum length of a schedule, in UTF-16 units. Longer text is cut. */
const maxCronChars = 80;

/**
 * Finds the time of the session's next scheduled run from the payload of a Stop. Returns local time, `14:20`, with the
 * date if that is not today; the schedule's own text if no time can be computed; undefined without a schedule.
 * @see https://code.claude.com/docs/en/scheduled-tasks `session_crons` in a Stop's payload
 */
export async function findNextRun({ event, extra }: AgentEvent, nowMs: number): Promise<string | undefined> {
  const schedules = event === "Stop" ? toList(extra.session_crons) : [];
  const crons = schedules.flatMap((schedule) => {
    const cron = at(schedule, "cron");
    const line = typeof cron === "string" ? cleanLine(cron.slice(0, maxCronChars)) : "";
    return line === "" ? [] : [line];
  });
  if (crons.length === 0) return undefined;
  // Loaded here because few sessions have a schedule.
  const { Cron } = await import("croner");
  const next = (cron: string) => new Cron(cron, { paused: true }).nextRun(new Date(nowMs))?.getTime();
  const times = crons.slice(0, maxCrons).flatMap((cron) => quietly(() => next(cron)) ?? []); // croner may not know it
  return times.length > 0 ? clockTime(Math.min(...times), nowMs) : crons[0];
}
