import { CommandError } from "../../../../core/errors.ts";
import type { ParseError } from "../../../../service/error.ts";

/** Record of the rows that do not match the API, and are therefore not printed. */
export class InvalidRows {
  #count = 0;
  #first: ParseError | undefined;

  readonly add = (error: ParseError): void => {
    this.#count += 1;
    this.#first ??= error;
  };

  /** Creates an error that describes the first invalid row; undefined if there is none. */
  failure(): CommandError | undefined {
    if (this.#first === undefined) return undefined;
    const { message, excerpt, hint = "", requestId, method, path, status } = this.#first;
    const request = `${method} ${path}, status ${status}${requestId === undefined ? "" : `, request ${requestId}`}`;
    const rows = this.#count === 1 ? "1 row" : `${this.#count.toLocaleString("en")} rows`;
    const reply = excerpt === undefined ? "" : `\n  The reply: ${excerpt.slice(0, 200).toWellFormed()}`;
    const first = this.#count === 1 ? "" : "first, ";
    return new CommandError(`${rows} could not be read: ${first}${message} (${request})`, `${hint}${reply}`);
  }
}
