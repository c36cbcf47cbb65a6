import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expandHome, type Paths } from "../../../files/paths.ts";
import type { CliContext } from "../../context.ts";
import { shortPath } from "../../short-path.ts";

/** Where credentials are kept: `host.creds` of this machine, or those of a person. */
export function credentialsFile({ relay }: Pick<Paths, "relay">, name: string): string {
  return join(relay, name === "host" ? "person-host.creds" : `${name}.creds`);
}

/** Where this machine's own credentials are kept, as one with agents. */
export function hostCredentialsFile({ relay }: Pick<Paths, "relay">): string {
  return join(relay, "host.creds");
}

/** `${file:~/.beckon/relay/host.creds}`: a file as the configuration names it. */
export function referenceTo(file: string, { environment }: Pick<CliContext, "environment">): string {
  return `\${file:${shortPath(file, environment)}}`;
}

/** Deletes the credentials that a reference names, if `beckon relay join` or `up` has stored them. */
export function removeCredentials(reference: string, { paths }: Pick<CliContext, "paths">): void {
  const [, name] = /^\$\{file:(.+)\}$/.exec(reference) ?? [];
  const file = expandHome(name ?? "");
  if (dirname(file) === paths.relay && file.endsWith(".creds")) rmSync(file, { force: true });
}
