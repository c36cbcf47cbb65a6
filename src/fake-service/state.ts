import { dayNumber, firstDay } from "./calendar.ts";
import { makePerson, type Person } from "./people.ts";
import { makeChanges, makeComputers, makeReports, makeUsers } from "./records.ts";
import { type FakeSession, makeMessages, makeSession } from "./sessions.ts";

/** Sizes of the fake's lists, and the seed of its data. */
export interface Sizes {
  readonly users: number;
  readonly sessions: number;
  readonly reports: number;
  readonly changes: number;
  readonly seed: number;
  /** First day with rows, counted from 1970. */
  readonly firstDay: number;
}

/** Sizes that suffice for several pages of every list. */
export const defaultSizes: Sizes = {
  users: 1000,
  sessions: 250,
  reports: 120,
  changes: 60,
  seed: 0,
  firstDay: dayNumber(firstDay) ?? 0,
};

/** A computer of the fake. */
export type FakeComputer = Record<string, unknown> & { readonly id: string };

/** The fake's data. POST and PATCH change it. */
export interface State {
  readonly seed: number;
  readonly firstDay: number;
  /** Days without rows, counted from 1970. */
  readonly dropped: Set<number>;
  readonly people: readonly Person[];
  readonly users: ReturnType<typeof makeUsers>;
  readonly sessions: FakeSession[];
  readonly reports: ReturnType<typeof makeReports>;
  readonly changes: ReturnType<typeof makeChanges>;
  readonly computers: Map<string, FakeComputer>;
}

/** Makes data, always the same for the same sizes. */
export function makeState({ users, sessions, reports, changes, seed, firstDay }: Sizes): State {
  return {
    seed,
    firstDay,
    dropped: new Set(),
    people: Array.from({ length: users }, (_, n) => makePerson(n, seed)),
    users: makeUsers(users, seed),
    sessions: Array.from({ length: sessions }, (_, n) => makeSession(n, seed)),
    reports: makeReports(reports, seed),
    changes: makeChanges(changes, seed),
    computers: new Map(makeComputers().map((computer) => [computer.id, computer])),
  };
}

/** Makes the messages of a session; undefined if there is no such session. */
export function findMessages(state: State, sessionId: string) {
  const session = state.sessions.find((candidate) => candidate.sessionId === sessionId);
  return session && makeMessages(session);
}
