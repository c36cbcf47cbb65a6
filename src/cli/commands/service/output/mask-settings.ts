import { secretPlaceholder } from "../../../../core/secret.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { controlHistory } from "../../../../service/resources/enterprise-controls.ts";

/** Names of settings whose value is a secret: keys of custom models above all. */
const secretName = /(?:key|secret|token|password|credential\w*|authorization)$/i;
/** Names of settings in which every text may be a secret. */
const secretHolder = /headers$/i;

/** Returns a row as it may be printed. */
export type MaskRow = <Row>(row: Row) => Row;

/**
 * A function that masks the secrets in an operation's rows. Only the history of the organization's settings is known to
 * contain any; rows of other operations stay as they are.
 */
export function settingsMask(endpoint: Pick<Endpoint, "name">): MaskRow {
  return endpoint.name === controlHistory.name ? <Row>(row: Row) => mask(row, false) as Row : (row) => row;
}

function mask(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? secretPlaceholder : value;
  if (Array.isArray(value)) return value.map((item) => mask(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    return [name, mask(inner, isSecret || secretName.test(name) || secretHolder.test(name))];
  });
  return Object.fromEntries(entries);
}
