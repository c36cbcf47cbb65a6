import { createSocket } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Home, run } from "../world/home.ts";

/** Loopback address on which port 53 is free, because resolv.conf takes no port. */
const address = "127.53.53.53";

export interface NameServer {
  readonly address: string;
  /** Names that were looked up, with repeats; only for IPv4. */
  readonly asked: string[];
  close(): Promise<void>;
}

/**
 * A real name server on loopback, port 53; needs root. Resolves names that begin with `healthy` to 127.0.0.1 and
 * ignores all other queries.
 */
export async function startNameServer(): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    if (type === typeA) asked.push(name);
    if (name.startsWith("healthy")) socket.send(buildAnswer(query.subarray(0, end), type), port, address);
  });
  socket.bind(53, address);
  await once(socket, "listening");
  return { address, asked, close: () => new Promise((resolve) => socket.close(() => resolve())) };
}

/** Runs a launcher and its worker with this name server in resolv.conf. Needs root. */
export async function launchAsking(nameServer: NameServer, home: Home, session: string): Promise<void> {
  const resolvConf = join(home.paths.root, "resolv.conf");
  writeFileSync(resolvConf, `nameserver ${nameServer.address}\noptions timeout:30 attempts:2\n`);
  const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
  const script = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  const hook = [home.paths.launcher, "Stop", "--agent", "claude"];
  const { env } = home;
  const result = await run("unshare", ["-m", "sh", "-c", script, "sh", resolvConf, ...hook], payload, { env });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
}

const headerBytes = 12;
const typeA = 1;

/** Reads the question section of a query, RFC 1035 section 4.1.2, and its end offset. */
function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Builds the reply to a query with one question: 127.0.0.1 for an A record, no record for any other type. */
function buildAnswer(query: Buffer, type: number): Buffer {
  const reply = Buffer.from(query);
  reply.writeUInt16BE(0x8180, 2); // a response, recursion available, no error
  reply.writeUInt16BE(type === typeA ? 1 : 0, 6);
  reply.fill(0, 8, headerBytes);
  // The name as a pointer to the question, type A, class IN, sixty seconds, four bytes.
  const record = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat(type === typeA ? [reply, record] : [reply]);
}
