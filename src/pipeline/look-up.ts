import { BeckonError, DeliveryError } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { ClockPort } from "../core/ports.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import type { RunContext } from "./context.ts";
import { resolveSettings } from "./resolve-settings.ts";
import { startBudget } from "./within-budget.ts";

type LookupContext = Pick<RunContext, "config" | "ports" | "keepSecret">;

/** Results of the lookups. */
export interface LookedUp {
  readonly facts: FoundFacts;
  /** Reasons why a lookup found nothing, or only part of the facts, one line each. */
  readonly problems: readonly string[];
}

/**
 * Runs all configured lookups concurrently, each within its time budget. If two lookups find the same fact, the one
 * later in the list wins.
 */
export async function lookUp(event: AgentEvent, context: LookupContext, isAgain = false): Promise<LookedUp> {
  const results = await Promise.all(context.config.lookups.map((name) => runLookup(name, event, context, isAgain)));
  return {
    facts: Object.assign({}, ...results.map(({ facts }) => facts)) as FoundFacts,
    problems: results.flatMap(({ problems }) => problems),
  };
}

/** Looks up an event again, in the transcript only, if that lookup is configured. */
export async function readTranscript(event: AgentEvent, context: LookupContext): Promise<FoundFacts> {
  const lookups = context.config.lookups.filter((name) => name === "transcript");
  return (await lookUp(event, { ...context, config: { ...context.config, lookups } }, true)).facts;
}

async function runLookup(name: string, event: AgentEvent, context: LookupContext, isAgain: boolean): Promise<LookedUp> {
  const problems: string[] = [];
  const report = (problem: unknown): void => {
    problems.push(`lookup ${name}: ${problem instanceof BeckonError ? problem.message : "a fault in the lookup"}`);
  };
  try {
    const lookup = await lookupLoaders[name]?.();
    const { config, ports, keepSecret } = context;
    const unresolved = config.lookupSettings[name];
    const schema = lookup?.settings;
    if (!lookup || (schema && unresolved === undefined)) return { facts: {}, problems };
    const settings =
      schema && (await resolveSettings({ schema, settings: unresolved, path: name }, ports.exec, keepSecret));
    const { signal, timer } = startBudget(lookup.budgetMs, ports.clock);
    const finding = lookup.find({ event, settings, ports, signal, report, isAgain });
    const facts = await withinGrace(finding, lookup.budgetMs, ports.clock).finally(() => timer.cancel());
    return { facts, problems };
  } catch (error) {
    report(error);
    return { facts: {}, problems };
  }
}

/** Waits for a lookup's facts. Rejects 100 ms after the end of the budget if the lookup ignores its aborted signal. */
function withinGrace(facts: Promise<FoundFacts>, budgetMs: number, clock: ClockPort): Promise<FoundFacts> {
  const graceMs = 100;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new DeliveryError("timeout", "took too long"));
    const timer = clock.after(budgetMs + graceMs, giveUp).ref();
    facts.then(resolve, reject).finally(() => timer.cancel());
  });
}
