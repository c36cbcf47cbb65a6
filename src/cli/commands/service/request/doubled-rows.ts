import { CommandError } from "../../../../core/errors.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { cleanLine } from "../../../../text/clean.ts";
import { findRowSchema } from "../output/csv.ts";

/** Maximum number of doubled rows to name. */
const maxNames = 5;

/** Record of the rows of a list, which finds rows that come more than once. */
export class DoubledRows {
  readonly #fields: readonly string[];
  readonly #seen = new Set<string>();
  readonly #doubled = new Set<string>();
  #count = 0;

  /** Identifies rows by the first field of their schema, a day or an id; rows of a day also by their group or user. */
  constructor(endpoint: Endpoint) {
    const [first = ""] = Object.keys(findRowSchema(endpoint, false).shape);
    this.#fields = [first, "group_key", "user_id"];
  }

  add(items: readonly object[]): void {
    for (const item of items as readonly Readonly<Record<string, unknown>>[]) {
      const named = item["user_id"] === "" ? [...this.#fields, "user_email"] : this.#fields;
      const key = named.flatMap((field) => item[field] ?? []).join(" ");
      if (!this.#seen.has(key)) this.#seen.add(key);
      else {
        this.#doubled.add(key);
        this.#count += 1;
      }
    }
  }

  /** Creates an error that names the doubled rows; undefined if each row came once. */
  failure(): CommandError | undefined {
    if (this.#count === 0) return undefined;
    const names = [...this.#doubled].slice(0, maxNames).map(cleanLine).join(", ");
    const more = this.#doubled.size > maxNames ? ` and ${this.#doubled.size - maxNames} more` : "";
    const rows = this.#count === 1 ? "1 row is" : `${this.#count.toLocaleString("en")} rows are`;
    const hint = "Count each of them once, or try again: the list may have changed while it was read.";
    return new CommandError(`${rows} a repetition of an earlier row: ${names}${more}`, hint);
  }
}
