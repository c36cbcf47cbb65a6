import type { Finding } from "./config.ts";

/** One line for people: `notifiers.team.url (line 7): must be an http(s) URL. Did you mean …?` */
export function showFinding({ path, line, message, hint }: Finding): string {
  const place = [path, line === undefined ? "" : `(line ${line})`].filter(Boolean).join(" ");
  return `${place === "" ? "" : `${place}: `}${message}.${hint ? ` ${hint}` : ""}`;
}
