import { cleanLine } from "../text/clean.ts";
import type { ExchangeHooks } from "./exchange.ts";
import { readRequestId } from "./headers.ts";

/**
 * Makes hooks that log one line when an attempt starts and one when it ends. The client never passes the key to hooks.
 * @param print takes a line without its line feed
 */
export function logHooks(print: (line: string) => void): Required<ExchangeHooks> {
  return {
    onRequest: ({ method, url, attempt }) =>
      print(cleanLine(`> ${method} ${url}${attempt === 1 ? "" : ` (attempt ${attempt})`}`)),
    onResponse: ({ status, headers = {}, tookMs, error }) => {
      const id = readRequestId(headers);
      print(cleanLine(`< ${status ?? error?.message} in ${tookMs} ms${id === undefined ? "" : `, request ${id}`}`));
    },
  };
}
