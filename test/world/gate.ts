import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A notifier that is slow for as long as a test wants. */
export interface Gate {
  /**
   * The settings of a `command` notifier that records the kind of each event and does not end before the gate opens.
   */
  readonly notifier: object;
  /** The kinds of the events whose program has started, in order. */
  kindsBegun(): string[];
  /** Ends the waiting programs, and lets later ones end at once. */
  open(): void;
}

/** Creates a closed gate that keeps its files in `folder`. */
export function createGate(folder: string): Gate {
  const begun = join(folder, "begun");
  // It also ends with the folder, so a test need not open its gate.
  const script = 'echo "$BECKON_KIND" >> "$0/begun"; while [ -d "$0" ] && ! [ -e "$0/open" ]; do sleep 0.05; done';
  return {
    notifier: { type: "command", run: ["sh", "-c", script, folder], timeout: "60s" },
    kindsBegun: () => (existsSync(begun) ? readFileSync(begun, "utf8").trim().split("\n") : []),
    open: () => writeFileSync(join(folder, "open"), ""),
  };
}
