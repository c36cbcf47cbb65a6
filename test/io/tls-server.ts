import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An HTTPS server on loopback with a certificate of an unknown authority. */
export interface TlsServer {
  readonly origin: string;
  /** Path of the authority's certificate, PEM. */
  readonly ca: string;
  /** Paths of the received requests. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Starts a server that answers every request with 200 and an empty JSON object. Needs openssl. */
export async function startTlsServer(): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), "beckon-tls-"));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const newKey = (key: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", at(key)];
  const authority = ["-out", at("ca.pem"), "-days", "2", "-subj", "/CN=beckon test authority"];
  openssl("req", "-x509", ...newKey("ca.key"), ...authority);
  openssl("req", ...newKey("server.key"), "-out", at("server.csr"), "-subj", "/CN=localhost");
  writeFileSync(at("names"), "subjectAltName=IP:127.0.0.1,DNS:api.example.test\n");
  const signed = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-extfile", at("names")];
  openssl("x509", "-req", "-in", at("server.csr"), ...signed, "-out", at("server.pem"), "-days", "2");
  const requests: string[] = [];
  const options = { key: readFileSync(at("server.key")), cert: readFileSync(at("server.pem")) };
  const server = createServer(options, (request, response) => {
    requests.push(request.url ?? "");
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.on("tlsClientError", () => {}); // a client that does not trust the server hangs up, as it should
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: at("ca.pem"),
    requests,
    close: () =>
      new Promise((resolve) => {
        rmSync(folder, { recursive: true, force: true });
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
