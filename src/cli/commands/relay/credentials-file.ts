import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expandHome, type Paths } from "../../../files/paths.ts";
import type { CliContext } from "../../context.ts";
import { shortPath } from "../../short-path.ts";

/** Returns the path of the file with a person's credentials. */
export function credentialsFile({ relay }: Pick<Paths, "relay">, name: string): string {
  return join(relay, name === "host" ? "person-host.creds" : `${name}.creds`);
}

/** Returns the path of the file with the credentials with which this machine sends events. */
export function hostCredentialsFile({ relay }: Pick<Paths, "relay">): string {
  return join(relay, "host.creds");
}

/** Builds a reference to a file for the configuration: `${file:~/.beckon/relay/host.creds}`. */
export function referenceTo(file: string, { environment }: Pick<CliContext, "environment">): string {
  return `\${file:${shortPath(file, environment)}}`;
}

/** Deletes the credentials file that a reference names, if `beckon relay join` or `beckon relay up` created it. */
export function removeCredentials(reference: string, { paths }: Pick<CliContext, "paths">): void {
  const [, name] = /^\$\{file:(.+)\}$/.exec(reference) ?? [];
  const file = expandHome(name ?? "");
  if (dirname(file) === paths.relay && file.endsWith(".creds")) rmSync(file, { force: true });
}
