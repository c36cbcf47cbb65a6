import * as z from "zod";
import { type Finding, showFinding } from "../config/config.ts";
import { once } from "../core/once.ts";
import { readStateFile, writeStateFile } from "../files/atomic-file.ts";
import type { Journal } from "../journal/journal.ts";

/** Id for journal lines about the configuration, because such lines belong to no event. */
export const configurationId = "config";

const knownErrorsSchema = once(() =>
  z.object({
    errors: z.array(z.string()),
    /** True once the user was notified. */
    isReported: z.boolean(),
  }),
);
type KnownErrors = z.output<ReturnType<typeof knownErrorsSchema>>;

/** Configuration errors that were last journalled. Stored in a file so that a new worker does not repeat them. */
export class ConfigErrors {
  readonly #file: string;
  #isBeingReported = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Journals the errors among findings, unless the same errors were journalled last time. */
  journalOnce(findings: readonly Finding[], journal: Journal): void {
    const errors = errorsIn(findings);
    if (isSame(errors, this.#read().errors)) return;
    for (const reason of errors) journal.write({ id: configurationId, status: "rejected", reason });
    writeStateFile(this.#file, { errors, isReported: false } satisfies KnownErrors);
  }

  /**
   * Reports the errors among findings to the user, unless a report was sent or is being sent.
   * @param report sends the report; resolves to true if the report reached the user
   */
  async reportOnce(
    findings: readonly Finding[],
    report: (errors: readonly string[]) => Promise<boolean>,
  ): Promise<void> {
    const errors = errorsIn(findings);
    if (errors.length === 0 || this.#isBeingReported) return;
    const known = this.#read();
    if (known.isReported && isSame(errors, known.errors)) return;
    this.#isBeingReported = true;
    try {
      if (await report(errors)) writeStateFile(this.#file, { errors, isReported: true } satisfies KnownErrors);
    } finally {
      this.#isBeingReported = false;
    }
  }

  #read(): KnownErrors {
    return readStateFile(this.#file, knownErrorsSchema, { errors: [], isReported: false });
  }
}

function errorsIn(findings: readonly Finding[]): string[] {
  return findings.filter(({ level }) => level === "error").map(showFinding);
}

function isSame(errors: readonly string[], second: readonly string[]): boolean {
  return errors.join("\n") === second.join("\n");
}
