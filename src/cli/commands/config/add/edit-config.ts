import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { defaultConfigValue } from "../../../../config/default-notifiers.ts";
import { readJsonc } from "../../../../config/read-jsonc.ts";
import type { Kind } from "../../../../core/vocabulary.ts";
import { addChild } from "../../../../installer/editors/json/edit-text.ts";
import { layoutOf } from "../../../../installer/editors/json/layout.ts";
import { CommandError } from "../../../errors.ts";

/** A notifier to be written into a configuration. */
export interface NewNotifier {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** What it is to hear of; undefined: what the routes say already, or, without routes, what all hear of. */
  readonly kinds: readonly Kind[] | undefined;
}

type Member = readonly [name: string, value: unknown];

/** What all notifiers hear of where there are no routes. */
const usualKinds: readonly Kind[] = ["needs-you", "failed", "finished"];

/**
 * The text of a configuration with one more notifier. Comments and layout stay; without `notifiers` so far, the default
 * ones are written down as well, since they would not hold any more.
 * @throws {CommandError} where the text cannot be read, or holds something else in these places
 */
export function addNotifier(text: string, file: string, { name, entry, kinds }: NewNotifier): string {
  const { notifiers, routes } = (valueIn(text, file) ?? {}) as { notifiers?: object; routes?: unknown[] };
  const known = notifiers ?? defaultConfigValue.notifiers;
  const withNotifier = notifiers
    ? add(text, file, ["notifiers"], [name, entry])
    : add(text, file, [], ["notifiers", { ...known, [name]: entry }]);
  if (!kinds) return withNotifier;
  const route = { kinds: [...kinds], to: [name] };
  if (routes) return add(withNotifier, file, ["routes"], ["", route]);
  const others = { kinds: [...usualKinds], to: Object.keys(known) };
  return add(withNotifier, file, [], ["routes", [others, route]]);
}

/** Adds a member to an object, or, by the name "", an item to an array; and proves that nothing else has changed. */
function add(text: string, file: string, path: readonly string[], [name, value]: Member): string {
  const root = treeOf(text, file);
  const parent = path.length === 0 ? root : findNodeAtLocation(root, [...path]);
  const type = name === "" ? "array" : "object";
  if (parent?.type !== type) {
    throw new CommandError(
      `${file}: ${path.join(".") || "the file"} holds no ${type}`,
      "`beckon config check` says more.",
    );
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

/** @throws {CommandError} where nothing can be added to a configuration, since it cannot be read */
export function assertReadable(text: string, file: string): void {
  treeOf(text, file);
}

function treeOf(text: string, file: string): Node {
  const { tree, finding } = readJsonc(text);
  if (finding === undefined && tree?.type === "object") return tree;
  const place = [file, finding?.line, finding?.column].filter((part) => part !== undefined).join(":");
  throw new CommandError(
    `${place}: ${finding?.message ?? "not an object"}`,
    "Correct it by hand, then run this again.",
  );
}
