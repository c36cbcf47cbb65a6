import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { matchesNames, newAuthority, newServerCertificate } from "../../../src/relay/server/certificates.ts";
import { listen } from "../../world/listen.ts";

const nowMs = Date.now();
const authority = await newAuthority(nowMs);
const names = ["relay.example.org", "localhost", "127.0.0.1"];

/** Connects to a server with this certificate, trusting one authority. */
async function readHello(certified: typeof authority, ca: string, servername: string): Promise<string> {
  const server = createServer({ cert: certified.certificate, key: certified.key }, (socket) => socket.end("hello"));
  server.on("tlsClientError", () => {}); // a client that does not trust the server hangs up
  const [host, port] = (await listen(server)).split(":");
  const socket = connect({ port: Number(port), host, ca, servername });
  onTestFinished(() => void socket.destroy());
  const [data] = await once(socket, "data");
  return String(data);
}

test("who trusts the authority trusts the server by each of its names, and by no other", async () => {
  const own = await newServerCertificate(authority, names, nowMs);
  expect(await readHello(own, authority.certificate, "relay.example.org")).toBe("hello");
  expect(await readHello(own, authority.certificate, "localhost")).toBe("hello");
  await expect(readHello(own, authority.certificate, "other.example.org")).rejects.toThrow(/altnames/);
});

test("another authority of the same name is not trusted", async () => {
  const foreign = await newServerCertificate(await newAuthority(nowMs), names, nowMs);
  await expect(readHello(foreign, authority.certificate, "localhost")).rejects.toThrow();
});

test("both are valid for ten years, and from yesterday on", async () => {
  const { certificate } = await newServerCertificate(authority, names, nowMs);
  for (const pem of [certificate, authority.certificate]) {
    const { validFrom, validTo } = new X509Certificate(pem);
    expect(Date.parse(validFrom)).toBeLessThan(nowMs);
    expect(Date.parse(validTo) - nowMs).toBeGreaterThan(3_600 * 24 * 3_600_000);
  }
});

test("a certificate tells whether it is for some names", async () => {
  const { certificate } = await newServerCertificate(authority, names, nowMs);
  expect(matchesNames(certificate, names.toReversed())).toBe(true);
  expect(matchesNames(certificate, names.slice(1))).toBe(false);
  expect(matchesNames(certificate, [...names, "new.example.org"])).toBe(false);
});
