import { type Person, person } from "./people.ts";
import { makeChanges, makeComputers, makeReports, makeUsers } from "./records.ts";
import { makeMessages, makeSession, type SandboxSession } from "./sessions.ts";

/** Number of the sandbox's records of each kind. */
export interface Sizes {
  readonly users: number;
  readonly sessions: number;
  readonly reports: number;
  readonly changes: number;
}
export const defaultSizes: Sizes = { users: 1000, sessions: 250, reports: 120, changes: 60 };

export type SandboxComputer = Record<string, unknown> & { readonly id: string };

/** The sandbox's data. POST and PATCH change it; it lives as long as the server. */
export interface State {
  readonly people: readonly Person[];
  readonly users: ReturnType<typeof makeUsers>;
  readonly sessions: SandboxSession[];
  readonly reports: ReturnType<typeof makeReports>;
  readonly changes: ReturnType<typeof makeChanges>;
  readonly computers: Map<string, SandboxComputer>;
}

export function makeState({ users, sessions, reports, changes }: Sizes): State {
  return {
    people: Array.from({ length: users }, (_, n) => person(n)),
    users: makeUsers(users),
    sessions: Array.from({ length: sessions }, (_, n) => makeSession(n)),
    reports: makeReports(reports),
    changes: makeChanges(changes),
    computers: new Map(makeComputers().map((computer) => [computer.id, computer])),
  };
}

export function findMessages(state: State, sessionId: string) {
  const session = state.sessions.find((candidate) => candidate.sessionId === sessionId);
  return session && makeMessages(session);
}
