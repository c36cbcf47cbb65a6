import type { ActivityRow } from "../service/schemas/activity-row.ts";
import { rankingOf, shownName } from "./ranking.ts";
import { type Series, seriesOf } from "./series.ts";

/** Who was there, and how much was said. A sum of active users over days counts a user once a day. */
export interface Activity {
  readonly activeUsers: Series;
  /** By client type, most used first. Somebody with several clients is in each of them. */
  readonly byClient: readonly Series[];
  /** Users active in the 30 days up to the last day that has a row. */
  readonly monthlyActiveUsers: number;
  readonly sessions: Series;
  readonly messages: number;
  readonly userMessages: number;
}

/** So many client types are told apart; the document knows three. */
const maxClients = 7;

/** Adds up `/activity`: rows of these days. */
export function activityOf(rows: readonly ActivityRow[], days: readonly string[]): Activity {
  const series = (name: string, measure: (row: ActivityRow) => number) => seriesOf(name, rows, days, measure);
  const clients = rankingOf(rows.flatMap((row) => Object.entries(row.daily_active_users_by_client)));
  const ofClient = (row: ActivityRow, client: string): number =>
    Object.entries(row.daily_active_users_by_client).reduce(
      (total, [key, count]) => total + (shownName(key) === client ? count : 0),
      0,
    );
  const last = rows.reduce<ActivityRow | undefined>((a, b) => (a !== undefined && a.date > b.date ? a : b), undefined);
  return {
    activeUsers: series("active users", (row) => row.daily_active_users),
    byClient: clients.top.slice(0, maxClients).map(({ name }) => series(name, (row) => ofClient(row, name))),
    monthlyActiveUsers: last?.monthly_active_users ?? 0,
    sessions: series("sessions", (row) => row.sessions),
    messages: series("messages", (row) => row.messages).total,
    userMessages: series("user messages", (row) => row.user_messages).total,
  };
}
