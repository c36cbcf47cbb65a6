import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Gate = ReturnType<typeof createGate>;

/** Creates a notifier that is slow for as long as a test wants: a closed gate that keeps its files in `folder`. */
export function createGate(folder: string) {
  const begun = join(folder, "begun");
  // It also ends with the folder, so a test need not open its gate.
  const script = 'echo "$BECKON_KIND" >> "$0/begun"; while [ -d "$0" ] && ! [ -e "$0/open" ]; do sleep 0.05; done';
  return {
    /** Settings of a `command` notifier that records the kind of each event and does not end before the gate opens. */
    notifier: { type: "command", run: ["sh", "-c", script, folder], timeout: "60s" },
    /** The kinds of the events whose program has started, in order. */
    kindsBegun: () => (existsSync(begun) ? readFileSync(begun, "utf8").trim().split("\n") : []),
    /** Ends the waiting programs, and lets later ones end at once. */
    open: () => writeFileSync(join(folder, "open"), ""),
  };
}
