import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { CommandError } from "../../core/errors.ts";
import { isObject } from "../../core/json-value.ts";
import type { Kind } from "../../core/vocabulary.ts";
import { addChild, removeChild } from "../../installer/editors/json/edit-text.ts";
import { layoutOf } from "../../installer/editors/json/layout.ts";
import { defaultNotifiers } from "../default-notifiers.ts";
import { didYouMean } from "../did-you-mean.ts";
import { readJsonc } from "../read-jsonc.ts";
import { type MachineSource, type RelaySource, type ServerSource, sourceName } from "../relay-table.ts";
import type { Written, WrittenFields } from "../written.ts";

/** A notifier to add to a configuration. */
export interface NewNotifier {
  readonly name: string;
  readonly entry: WrittenFields<Readonly<Record<string, unknown>>>;
  /** The conditions of a new route to it. Undefined: no route is added, so that the existing ones decide. */
  readonly route: RouteConditions | undefined;
  /** Set where the default notifiers are not to be kept beside it: nobody sits at this machine. */
  readonly isAlone?: boolean;
}

/**
 * The text of a configuration with another machine whose events are fetched; the same where it has that already.
 * Comments and layout stay.
 * @throws {CommandError} where the text cannot be parsed, or `relay` is of the wrong type
 */
export function addRelaySource(
  text: string,
  file: string,
  source: WrittenFields<MachineSource> | WrittenFields<ServerSource>,
  others: { readonly identity?: Written<string> } = {},
): string {
  const { relay } = (valueIn(text, file) ?? {}) as { relay?: { from?: unknown[]; identity?: unknown } };
  if (!relay) return add(text, file, [], ["relay", { from: [{ ...source }], ...others }]);
  const withIdentity =
    others.identity === undefined || relay.identity !== undefined
      ? text
      : add(text, file, ["relay"], ["identity", others.identity]);
  if (!relay.from) return add(withIdentity, file, ["relay"], ["from", [{ ...source }]]);
  if (relay.from.some((one) => isDeepStrictEqual(one, source))) return withIdentity;
  return add(withIdentity, file, ["relay", "from"], ["", { ...source }]);
}

/**
 * The text of a configuration that fetches from a server, in place of what it had with the same address or credentials.
 * @throws {CommandError} where the text cannot be parsed, or `relay` is of the wrong type
 */
export function setServerSource(text: string, file: string, source: WrittenFields<ServerSource>): string {
  const { relay } = (valueIn(text, file) ?? {}) as { relay?: { from?: RelaySource[] } };
  const isSame = (one: RelaySource): boolean =>
    isObject(one) && "servers" in one && (one.creds === source.creds || sourceName(one) === sourceName(source));
  const before = relay?.from?.filter(isSame) ?? [];
  if (before.length === 1 && isDeepStrictEqual(before[0], source)) return text;
  const left = [...new Set(before.map(sourceName))].reduce((rest, name) => removeRelaySource(rest, file, name), text);
  return addRelaySource(left, file, source);
}

/** The text of a configuration without the ways to a machine. @throws {CommandError} where it has none */
export function removeRelaySource(text: string, file: string, host: string): string {
  const { relay } = (valueIn(text, file) ?? {}) as { relay?: { from?: RelaySource[] } };
  const from = relay?.from ?? [];
  const nameOf = (one: RelaySource): string => (isObject(one) ? sourceName(one) : "");
  const places = from.flatMap((one, index) => (nameOf(one) === host ? [["relay", "from", index]] : [])).reverse();
  if (places.length === 0) {
    const names = from.map(nameOf);
    throw new CommandError(`${file} fetches from no machine ${host}`, didYouMean(host, names));
  }
  const left = places.reduce((rest, place) => remove(rest, file, place), text);
  return withoutEmpty(withoutEmpty(left, file, ["relay", "from"]), file, ["relay"]);
}

/** The text of a configuration without a list or an object that holds nothing; the same where it holds something. */
export function withoutEmpty(text: string, file: string, path: readonly string[]): string {
  const node = findNodeAtLocation(treeOf(text, file), [...path]);
  return node?.children?.length === 0 ? remove(text, file, path) : text;
}

/** Which events a route is for; absent: all. */
export interface RouteConditions {
  readonly kinds?: readonly Kind[];
  readonly on?: readonly string[];
  readonly agents?: readonly string[];
  readonly projects?: readonly string[];
  readonly when?: "away" | "here";
  /** A duration as the configuration has it: `5m`. */
  readonly after?: string;
}

type Member = readonly [name: string, value: unknown];

/** The kinds that every notifier gets where there are no routes. */
export const usualKinds: readonly Kind[] = ["needs-you", "failed", "finished"];

/**
 * The text of a configuration with a notifier added; comments and layout stay. If it has no `notifiers` yet, the
 * default ones are added too, since they would no longer apply.
 * @throws {CommandError} where the text cannot be parsed, or `notifiers` or `routes` is of the wrong type
 */
export function addNotifier(
  text: string,
  file: string,
  { name, entry, route: conditions, isAlone = false }: NewNotifier,
): string {
  const { notifiers, routes } = (valueIn(text, file) ?? {}) as { notifiers?: object; routes?: unknown[] };
  const known = notifiers ?? (isAlone ? {} : defaultNotifiers);
  const withNotifier = notifiers
    ? add(text, file, ["notifiers"], [name, entry])
    : add(text, file, [], ["notifiers", { ...known, [name]: entry }]);
  if (!conditions) return withNotifier;
  const route = structuredClone({ ...conditions, to: [name] });
  if (routes) return add(withNotifier, file, ["routes"], ["", route]);
  if (Object.keys(known).length === 0) return withNotifier; // it gets what all get where there are no routes
  const others = { kinds: [...usualKinds], to: Object.keys(known) };
  return add(withNotifier, file, [], ["routes", [others, route]]);
}

/**
 * The text of a configuration without a notifier and without its name in routes; a route that leads nowhere else goes
 * too.
 * @throws {CommandError} where there is no such notifier, or it cannot be removed without changing something else
 */
export function removeNotifier(text: string, file: string, name: string): string {
  const before = valueIn(text, file) as Partial<Routed>;
  const { notifiers = {}, routes = [] } = before;
  if (!Object.hasOwn(notifiers, name))
    throw new CommandError(`${file} has no notifier ${name}`, didYouMean(name, Object.keys(notifiers)));
  const namesOf = ({ to }: Route): readonly unknown[] => (Array.isArray(to) ? to : []);
  let result = remove(text, file, ["notifiers", name]);
  for (const [index, route] of [...routes.entries()].reverse()) {
    const names = namesOf(route);
    if (!names.includes(name)) continue;
    const places = names.flatMap((one, at) => (one === name ? [["routes", index, "to", at]] : [])).reverse();
    const isOnly = places.length === names.length;
    for (const place of isOnly ? [["routes", index]] : places) result = remove(result, file, place);
  }
  const { [name]: _, ...others } = notifiers;
  const kept = routes.flatMap((route) => {
    const names = namesOf(route);
    if (!names.includes(name)) return [route];
    const to = names.filter((one) => one !== name);
    return to.length > 0 ? [{ ...route, to }] : [];
  });
  const expected = { ...before, notifiers: others, ...(before.routes && { routes: kept }) };
  if (isDeepStrictEqual(structuredClone(valueIn(result, file)), expected)) return result;
  throw new CommandError(`${file}: ${name} cannot be removed without changing something else`, "Remove it by hand.");
}

/**
 * The text of a configuration in which a notifier has a setting. If it has no `notifiers` yet, the default ones are
 * added, since they would no longer apply.
 * @throws {CommandError} where there is no such notifier, or something else would change
 */
export function setNotifierSetting(
  text: string,
  file: string,
  name: string,
  { key, value }: { readonly key: string; readonly value: Written<string> },
): string {
  const { notifiers } = (valueIn(text, file) ?? {}) as { notifiers?: Readonly<Record<string, object>> };
  const entry = (notifiers ?? (defaultNotifiers as Readonly<Record<string, object>>))[name];
  if (entry === undefined) throw new CommandError(`${file} has no notifier ${name}`, "Add it: `beckon config add`.");
  if (!notifiers)
    return add(text, file, [], ["notifiers", { ...defaultNotifiers, [name]: { ...entry, [key]: value } }]);
  const cleared = Object.hasOwn(entry, key) ? remove(text, file, ["notifiers", name, key]) : text;
  return add(cleared, file, ["notifiers", name], [key, value]);
}

type Route = Readonly<Record<string, unknown>>;
interface Routed {
  readonly notifiers: Readonly<Record<string, unknown>>;
  readonly routes: readonly Route[];
}

function remove(text: string, file: string, path: readonly (string | number)[]): string {
  const root = treeOf(text, file);
  const found = findNodeAtLocation(root, [...path]);
  // The node of a member's value is found; the member itself is its parent.
  const child = found?.parent?.type === "property" ? found.parent : found;
  if (!child?.parent) throw new CommandError(`${file}: nothing at ${path.join(".")}`, "Remove it by hand.");
  return removeChild(text, child.parent, child);
}

/** Adds a member to an object or, with an empty name, an item to an array. Verifies that nothing else has changed. */
function add(text: string, file: string, path: readonly string[], [name, value]: Member): string {
  const root = treeOf(text, file);
  const parent = path.length === 0 ? root : findNodeAtLocation(root, [...path]);
  const type = name === "" ? "array" : "object";
  if (parent?.type !== type) {
    const holder = path.join(".") || "the file";
    throw new CommandError(`${file}: ${holder} is not an ${type}`, "`beckon config check` says more.");
  }
  const layout = { ...layoutOf(text, root), oneLine: false };
  const added = addChild(text, parent, name === "" ? { value } : { name, value }, layout);
  const expected = valueIn(text, file);
  const holder = path.reduce((inner, key) => (inner as Record<string, unknown>)[key], expected);
  if (Array.isArray(holder)) holder.push(value);
  else (holder as Record<string, unknown>)[name] = value;
  if (isDeepStrictEqual(valueIn(added, file), expected)) return added;
  throw new CommandError(`${file}: the notifier cannot be added without changing something else`, "Add it by hand.");
}

function valueIn(text: string, file: string): unknown {
  return structuredClone(getNodeValue(treeOf(text, file))); // whose objects have no prototype
}

/** The syntax tree of a configuration. @throws {CommandError} where the text cannot be parsed, or is not an object */
export function treeOf(text: string, file: string): Node {
  const { tree, finding } = readJsonc(text);
  if (finding === undefined && tree?.type === "object") return tree;
  const position = [file, finding?.line, finding?.column].filter((part) => part !== undefined).join(":");
  const problem = finding?.message ?? "not an object";
  throw new CommandError(`${position}: ${problem}`, "Fix it in an editor, then run this again.");
}
