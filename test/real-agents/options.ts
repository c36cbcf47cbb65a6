import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { RealAgent } from "./agents/agent.ts";
import { realAgents } from "./agents/registry.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

/** Options of a run. */
export interface Options {
  readonly agents: readonly RealAgent[];
  readonly scenarios: readonly Scenario[];
  readonly list: boolean;
  /** True to use today's versions instead of the pinned versions. */
  readonly latest: boolean;
  /** Folder for all files; a temporary folder unless it is named. */
  readonly folder: string;
  readonly keeps: boolean;
  /** Folder for recordings. */
  readonly record: string | undefined;
  /** True if no scenario is played without hooks, so that no screens are compared. */
  readonly onlyRings: boolean;
  /** Number of sandboxes that run at the same time. */
  readonly jobs: number;
}

/** Usage text. */
export const usage = `npm run test:agents -- [options]

  --agents a,b      these agents; the first six of ${realAgents.map(({ name }) => name).join(", ")} by default
  --scenarios x,y   these scenarios
  --all             all agents and scenarios instead of the default ones
  --latest          the agents' latest versions instead of the pinned ones
  --keep DIR        keep everything that the runs left: screens, streams, homes, journals
  --record DIR      keep the sessions as fixtures: AGENT/SCENARIO.jsonl, what the hooks were given and the transcripts grew by
  --only-rings      play with hooks only, in half the time, and compare no screens
  --jobs N          sandboxes at a time; 3 by default
  --list            list the scenarios and run nothing`;

const byDefault = 6;

/** Parses the command line. Fails with a description of the mistake. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      agents: { type: "string" },
      scenarios: { type: "string" },
      all: { type: "boolean", default: false },
      latest: { type: "boolean", default: false },
      keep: { type: "string" },
      record: { type: "string" },
      "only-rings": { type: "boolean", default: false },
      jobs: { type: "string", default: "3" },
      list: { type: "boolean", default: false },
    },
  });
  const chosen = scenarios.filter((scenario) => values.all || scenario.byDefault);
  return {
    agents: named("agent", values.agents, realAgents) ?? (values.all ? realAgents : realAgents.slice(0, byDefault)),
    scenarios: named("scenario", values.scenarios, scenarios) ?? chosen,
    list: values.list,
    latest: values.latest,
    folder: values.keep ? resolve(values.keep) : mkdtempSync(`${tmpdir()}/beckon-agents-`),
    keeps: values.keep !== undefined,
    record: values.record && resolve(values.record),
    onlyRings: values["only-rings"],
    jobs: Math.max(1, Number(values.jobs) || 1),
  };
}

type Named = { readonly name: string };

function named<Item extends Named>(what: string, names: string | undefined, items: readonly Item[]) {
  return names?.split(",").map((name) => {
    const item = items.find((candidate) => candidate.name === name);
    const known = items.map((candidate) => candidate.name).join(", ");
    if (!item) throw new Error(`There is no ${what} ${name}. There are: ${known}.`);
    return item;
  });
}
