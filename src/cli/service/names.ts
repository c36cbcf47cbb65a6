import { kebabCase } from "../../core/vocabulary.ts";
import type { Endpoint } from "../../service/endpoint.ts";

/** The words of an operation's command: `["enterprise-controls", "history"]`. */
export function wordsOf({ name }: Pick<Endpoint, "name">): [resource: string, verb: string] {
  const [resource = "", verb = ""] = name.split(".").map(kebabCase);
  return [resource, verb];
}

/** Names of the ids in an operation's path, in order. */
export function partsOf({ path }: Pick<Endpoint, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
