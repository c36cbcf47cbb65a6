import { cleanLine } from "../text/clean.ts";
import type { ExchangeHooks } from "./exchange.ts";
import { requestIdOf } from "./headers.ts";

/**
 * Hooks that write a line for each attempt and one for its end. The client leaves the key out of what it tells them.
 * @param print takes a line without its end
 */
export function logHooks(print: (line: string) => void): Required<ExchangeHooks> {
  return {
    onRequest: ({ method, url, attempt }) =>
      print(cleanLine(`> ${method} ${url}${attempt === 1 ? "" : ` (attempt ${attempt})`}`)),
    onResponse: ({ status, headers = {}, tookMs, error }) => {
      const id = requestIdOf(headers);
      print(cleanLine(`< ${status ?? error?.message} in ${tookMs} ms${id === undefined ? "" : `, request ${id}`}`));
    },
  };
}
