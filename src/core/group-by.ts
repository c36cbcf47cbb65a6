/** Groups values by a key; each group keeps the order of its values. Node 20 has no `Map.groupBy`. */
export function groupBy<Value, Key>(values: Iterable<Value>, readKey: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = readKey(value);
    const known = groups.get(key);
    if (known) known.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
