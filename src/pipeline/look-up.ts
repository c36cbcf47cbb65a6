import * as z from "zod";
import { resolveReferences } from "../config/references.ts";
import { secretsIn } from "../config/secrets.ts";
import { BeckonError, ConfigError, DeliveryError } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { Lookup } from "../core/lookup.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import type { RunContext } from "./context.ts";

type LookupContext = Pick<RunContext, "config" | "ports" | "keepSecret">;

export interface LookedUp {
  readonly facts: Facts;
  /** Why a lookup brought nothing, one line each. */
  readonly problems: readonly string[];
}

/** Asks all configured lookups at once, each within its budget. What a later one in the list finds wins. */
export async function lookUp(event: AgentEvent, context: LookupContext): Promise<LookedUp> {
  const results = await Promise.all(context.config.lookups.map((name) => askOne(name, event, context)));
  return {
    facts: Object.assign({}, ...results.map(({ facts }) => facts)) as Facts,
    problems: results.flatMap(({ problems }) => problems),
  };
}

async function askOne(name: string, event: AgentEvent, context: LookupContext): Promise<LookedUp> {
  const problems: string[] = [];
  const report = (problem: unknown): void => {
    problems.push(`lookup ${name}: ${problem instanceof BeckonError ? problem.message : "a fault in the lookup"}`);
  };
  try {
    const lookup = await lookupLoaders[name]?.();
    if (!lookup) return nothing;
    const { settings, usable } = await settingsOf(lookup, context);
    if (!usable) return nothing;
    const { ports } = context;
    const signal = AbortSignal.timeout(lookup.budgetMs);
    const facts = await withinGrace(lookup.find({ event, settings, ports, signal, report }), lookup.budgetMs);
    return { facts, problems };
  } catch (error) {
    report(error);
    return { facts: {}, problems };
  }
}

const nothing: LookedUp = { facts: {}, problems: [] };

/** At its abort a lookup gives what it has; one that does not is given up a moment later. */
function withinGrace(facts: Promise<Facts>, budgetMs: number): Promise<Facts> {
  const graceMs = 100;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeliveryError("timeout", "took too long")), budgetMs + graceMs);
    facts.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function settingsOf(
  lookup: Lookup,
  { config, ports, keepSecret }: LookupContext,
): Promise<{ settings?: unknown; usable: boolean }> {
  if (!lookup.settings) return { usable: true };
  const raw = config.lookupSettings[lookup.name];
  if (raw === undefined) return { usable: false };
  const { value, secrets } = await resolveReferences(raw, lookup.name, ports.exec);
  keepSecret([...secrets, ...secretsIn(lookup.settings, value)]);
  const parsed = z.safeParse(lookup.settings, value);
  if (parsed.success) return { settings: parsed.data, usable: true };
  const place = [lookup.name, ...(parsed.error.issues[0]?.path ?? [])].join(".");
  throw new ConfigError(place, `${place} is not usable once its reference is resolved`);
}
