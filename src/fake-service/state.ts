import { earliestDay } from "../service/arguments.ts";
import type { Computer, Session } from "../service/schemas/objects.ts";
import { dayMs } from "../text/time.ts";
import { dayNumber, makePerson } from "./people.ts";
import { between, chance, pick, uuid } from "./random.ts";
import { makeSession } from "./sessions.ts";

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
  firstDay: dayNumber(earliestDay),
};

/** Makes data, always the same for the same sizes. POST and PATCH change it. */
export function makeState({ users, sessions, reports, changes, seed, firstDay }: Sizes) {
  return {
    seed,
    firstDay,
    /** Days without rows, counted from 1970. */
    dropped: new Set<number>(),
    people: Array.from({ length: users }, (_, n) => makePerson(n, seed)),
    users: makeUsers(users, seed),
    sessions: Array.from({ length: sessions }, (_, n): Session => makeSession(n, seed)),
    reports: makeReports(reports, seed),
    changes: makeChanges(changes, seed),
    computers: new Map(makeComputers().map((computer) => [computer.id, computer])),
  };
}

/** The fake's data. */
export type State = ReturnType<typeof makeState>;

const startMs = Date.UTC(2026, 0, 14);
const range = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));

/** Makes reports of eight repositories, newest first. `repoId` is only for the endpoint's filter; it is not sent. */
export function makeReports(count: number, seed = 0) {
  return range(count, (n) => {
    const repo = n % 8;
    const local = chance(seed, n, 30) < 0.5;
    const report = {
      reportId: uuid(seed, n, 31),
      createdAt: startMs + (count - n) * dayMs,
      repoUrl: `https://git.example.com/shop/repo-${repo}`,
      apps: { ".": { description: "Everything" }, "apps/web": { description: "The shop's pages" } },
      report: {
        tests_exist: { numerator: between(0, 2, seed, n, 32), denominator: 2, rationale: "Unit tests run in CI." },
        linter_configured: { numerator: 1, denominator: 1, rationale: "A linter is configured." },
      },
      // Optional fields are absent in every other report.
      ...(local && {
        commitHash: uuid(seed, n, 33).replaceAll("-", "").padEnd(40, "0"),
        branch: "main",
        hasLocalChanges: false,
        hasNonRemoteCommits: n % 4 === 0,
        modelUsed: { id: "model-large", reasoningEffort: pick(["low", "medium", "high", "off"], seed, n, 34) },
        agentVersion: "0.22.3",
      }),
    };
    return { repoId: `repo-${repo}`, report };
  });
}

/** Makes changes of the settings, newest first; properties are added, removed and renamed. */
function makeChanges(count: number, seed = 0) {
  return range(count, (n) => {
    const revision = count - n;
    const { id, email, firstName, lastName } = makePerson(revision % 3, seed);
    const settings: Record<string, unknown> = {
      cloudSessionSync: revision % 2 === 0,
      commandDenylist: ["rm -rf /"],
      modelPolicy: { allowedModelIds: ["model-large"], allowCustomModels: false, allowAllFactoryModels: true },
      sandbox: { enabled: true, filesystem: { denyRead: ["~/.ssh"] }, network: { httpProxyPort: 3128 } },
      sessionRetentionDays: 30 + revision,
      ...(revision > 20 && {
        customModels: [{ model: "own", id: "custom:own", index: 0, apiKey: "canary-of-a-model" }],
      }),
      ...(revision > 40 ? { wikiSyncToCloud: true } : { wikiCloudSync: true }),
      ...(revision > 50 && { restrictMemberVisibility: "managers" }),
    };
    const user = { id, email: email ?? "", name: `${firstName} ${lastName}` };
    return { revision, settings, user, updatedAt: new Date(startMs + revision * dayMs).toISOString() };
  });
}

const steps = ["clone", "install-deps", "warm-up"];

/** Makes five computers, in all documented states. */
function makeComputers(): Computer[] {
  return range(5, (n) => ({
    id: `computer_${n}`,
    name: `builder-${n}`,
    providerType: n % 2 === 0 ? "hosted" : "byom",
    createdAt: startMs + n * dayMs,
    hostname: `host-${n}.example.com`,
    status: ["active", "active", "error", "provisioning", "active"][n],
    provisioningSteps: steps.map((name, step) => ({
      id: `step_${step}`,
      name,
      status: n === 2 && name === "install-deps" ? "failed" : "done",
      startedAt: startMs + step,
      ...(n === 2 && name === "install-deps" ? { error: "exit code 1" } : { completedAt: startMs + step + 1 }),
    })),
    relayClientUrl: `wss://relay.example.com/client/${n}`,
    relayAgentUrl: `wss://relay.example.com/agent/${n}`,
  }));
}

/** Makes the users of the organization. Those who never signed in lack `lastSignInAt`. */
function makeUsers(count: number, seed = 0) {
  return range(count, (n) => {
    const { id, email, firstName, lastName } = makePerson(n, seed);
    const signedIn = new Date(startMs + between(0, 200, seed, n, 40) * dayMs).toISOString();
    return {
      id,
      email: email ?? `${id}@example.com`,
      createdAt: new Date(startMs).toISOString(),
      metadata: { team: `team-${n % 7}` },
      firstName,
      lastName,
      ...(n % 20 !== 0 && { lastSignInAt: signedIn }),
    };
  });
}
