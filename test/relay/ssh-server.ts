import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { background } from "../world/background.ts";
import { freePort, listening } from "../world/servers.ts";
import type { User } from "../world/two-users.ts";

/** A real loopback sshd that accepts one user of this machine by key. */
export interface SshServer {
  /** The connecting command as a user types it, with all its options in a file. */
  readonly command: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts an SSH server with separate keys, port and configuration, leaving the machine's own untouched. Needs root.
 * @param folder for keys and configuration
 */
export async function startSshServer(user: User, folder: string): Promise<SshServer> {
  const port = await freePort();
  const login = execFileSync("id", ["-nu", String(user.uid)], { encoding: "utf8" }).trim();
  execFileSync("usermod", ["-p", "*", login]); // no password matches; without this the account counts as locked
  for (const key of ["host", "person"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
  execFileSync("install", ["-d", "-m", "700", "-o", login, join(user.home, ".ssh")]);
  user.write(join(user.home, ".ssh", "authorized_keys"), publicKey(folder, "person"));
  writeFileSync(join(folder, "sshd_config"), serverConfig(folder, port));
  writeFileSync(join(folder, "known_hosts"), `[127.0.0.1]:${port} ${publicKey(folder, "host")}`);
  writeFileSync(join(folder, "config"), clientConfig(folder, port, login));
  mkdirSync("/run/sshd", { recursive: true }); // made at boot if sshd is a service
  const programs = background();
  const env = { PATH: "/usr/sbin:/usr/bin:/bin" };
  programs.start("/usr/sbin/sshd", ["-D", "-f", join(folder, "sshd_config")], { env });
  await listening(port);
  return { command: ["ssh", "-F", join(folder, "config"), "devbox"], stop: () => programs.stop() };
}

const publicKey = (folder: string, key: string): string => readFileSync(join(folder, `${key}.pub`), "utf8");

const serverConfig = (folder: string, port: number): string => `Port ${port}
ListenAddress 127.0.0.1
HostKey ${join(folder, "host")}
PidFile none
AuthorizedKeysFile .ssh/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
`;

const clientConfig = (folder: string, port: number, login: string): string => `Host devbox
  HostName 127.0.0.1
  Port ${port}
  User ${login}
  IdentityFile ${join(folder, "person")}
  IdentitiesOnly yes
  UserKnownHostsFile ${join(folder, "known_hosts")}
`;
