import * as z from "zod";
import type { Config } from "../config/config.ts";
import { resolveReferences } from "../config/references.ts";
import { BeckonError, ConfigError, DeliveryError } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { Lookup } from "../core/lookup.ts";
import type { Ports } from "../core/ports.ts";
import { lookupLoaders } from "../lookups/registry.ts";

export interface LookedUp {
  readonly facts: Facts;
  /** Why a lookup brought nothing, one line each. */
  readonly problems: readonly string[];
}

/** Asks all configured lookups at once, each within its budget. What a later one in the list finds wins. */
export async function lookUp(event: AgentEvent, config: Config, ports: Ports): Promise<LookedUp> {
  const results = await Promise.all(config.lookups.map((name) => askOne(name, event, config, ports)));
  return {
    facts: Object.assign({}, ...results.map(({ facts }) => facts)) as Facts,
    problems: results.flatMap(({ problems }) => problems),
  };
}

async function askOne(name: string, event: AgentEvent, config: Config, ports: Ports): Promise<LookedUp> {
  const problems: string[] = [];
  const report = (problem: unknown): void => {
    problems.push(`lookup ${name}: ${problem instanceof BeckonError ? problem.message : "a fault in the lookup"}`);
  };
  try {
    const lookup = await lookupLoaders[name]?.();
    if (!lookup) return nothing;
    const { settings, usable } = await settingsOf(lookup, config, ports);
    if (!usable) return nothing;
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
  config: Config,
  ports: Ports,
): Promise<{ settings?: unknown; usable: boolean }> {
  if (!lookup.settings) return { usable: true };
  const raw = config.lookupSettings[lookup.name];
  if (raw === undefined) return { usable: false };
  const { value } = await resolveReferences(raw, lookup.name, ports.exec);
  const parsed = z.safeParse(lookup.settings, value);
  if (parsed.success) return { settings: parsed.data, usable: true };
  const place = [lookup.name, ...(parsed.error.issues[0]?.path ?? [])].join(".");
  throw new ConfigError(place, `${place} is not usable once its reference is resolved`);
}
