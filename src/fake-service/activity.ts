import { dayText } from "./calendar.ts";
import type { Person } from "./people.ts";
import { isActive, type Usage } from "./usage.ts";

const clientTypes = ["terminal-ui", "web", "non-interactive-cli"] as const;

/** Counts the users active on any of the `length` days that end with `day`. */
function activeWithin(people: readonly Person[], day: number, length: number): number {
  return people.filter((person) => Array.from({ length }, (_, n) => day - n).some((item) => isActive(person, item)))
    .length;
}

const usesClient = (usages: readonly Usage[], client: string): number =>
  usages.filter(({ person }) => person.clients.includes(client)).length;

/** Makes the row of `/activity` for a day. */
export function activityRow(usages: readonly Usage[], day: number, people: readonly Person[]) {
  const sum = (count: (item: Usage) => number) => usages.reduce((total, item) => total + count(item), 0);
  return {
    date: dayText(day),
    daily_active_users: usages.length,
    weekly_active_users: activeWithin(people, day, 7),
    monthly_active_users: activeWithin(people, day, 30),
    daily_active_users_by_client: Object.fromEntries(clientTypes.map((client) => [client, usesClient(usages, client)])),
    sessions: sum(({ sessions }) => sessions),
    messages: sum(({ userMessages, assistantMessages }) => userMessages + assistantMessages),
    user_messages: sum(({ userMessages }) => userMessages),
  };
}

/** Makes the rows of `/activity` for a day, one for each client. */
export function activityByClient(usages: readonly Usage[], day: number) {
  return clientTypes.map((client) => ({
    date: dayText(day),
    group_key: client,
    daily_active_users: usesClient(usages, client),
  }));
}
