import { secretPlaceholder } from "../../../../core/secret.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { controlHistory } from "../../../../service/resources/enterprise-controls.ts";

/** Names under which settings of an organization hold a secret: keys of custom models above all. */
const secretName = /(?:key|secret|token|password|credential\w*|authorization)$/i;
/** Under these every text may be one. */
const secretHolder = /headers$/i;

/** Gives a row as it may be printed. */
export type Conceal = <Row>(row: Row) => Row;

/**
 * Takes the secrets out of what an operation gives: settings of the organization can hold keys of models. Nothing else
 * is known to hold any, and passes as it is.
 */
export function concealerOf(endpoint: Pick<Endpoint, "name">): Conceal {
  return endpoint.name === controlHistory.name ? <Row>(row: Row) => conceal(row, false) as Row : (row) => row;
}

function conceal(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? secretPlaceholder : value;
  if (Array.isArray(value)) return value.map((item) => conceal(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    return [name, conceal(inner, isSecret || secretName.test(name) || secretHolder.test(name))];
  });
  return Object.fromEntries(entries);
}
