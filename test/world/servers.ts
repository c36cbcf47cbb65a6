import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { which } from "../../src/io/which.ts";

// Below the account's own home, as the tests have a separate one.
const unpacked = join(process.env["XDG_CACHE_HOME"] ?? join(userInfo().homedir, ".cache"), "beckon-servers", "usr");

/** Finds the absolute path of a server that tests start: unpacked from Debian's newest packages, or on PATH. */
export function serverProgram(name: "nats-server" | "prometheus-alertmanager" | "amtool"): string {
  const found = ["sbin", "bin"].map((folder) => join(unpacked, folder, name)).find(existsSync) ?? which(name);
  if (found === undefined) throw new Error(`${name} is missing: run scripts/install-real.sh`);
  return found;
}

/** Finds a free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address ? address.port : 0;
}

/** Waits until a server listens there. */
export async function listening(port: number, host = "127.0.0.1"): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
    const socket = connect(port, host);
    const reached = once(socket, "connect").then(() => true);
    const isOpen = await reached.catch(() => false); // an error, too, ends the wait
    socket.destroy();
    if (isOpen) return;
    if (Date.now() > deadline) throw new Error(`nothing listens on ${host}:${port}`);
  }
}
