import { request as ask, createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createHttp, keptConnections } from "../../src/io/http.ts";
import { isExempt } from "../../src/io/proxy.ts";
import { ServiceClient } from "../../src/service.ts";
import { freshHome } from "../world/fresh-home.ts";
import { dist, run } from "../world/home.ts";
import { listen } from "../world/listen.ts";
import { openReceiver } from "../world/receiver.ts";
import { useShared } from "../world/use.ts";
import { startTlsServer, type TlsServer } from "./tls-server.ts";

describe("proxy", () => {
  const names = ["https_proxy", "http_proxy", "all_proxy", "no_proxy"];
  const setProxy = (variables: Readonly<Record<string, string>>): void => {
    for (const name of names)
      for (const variable of [name, name.toUpperCase()]) vi.stubEnv(variable, variables[variable] ?? "");
  };

  /** Starts a proxy that leads every host to this machine. */
  async function startProxy() {
    const asked: string[] = [];
    const proxy = createServer((incoming, response) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      const { port, pathname } = new URL(incoming.url ?? "");
      const onward = ask({ host: "127.0.0.1", port, path: pathname }, (reply) => {
        response.writeHead(reply.statusCode ?? 500);
        reply.pipe(response);
      });
      onward.end();
    });
    proxy.on("connect", ({ url = "", headers }, socket) => {
      asked.push(`CONNECT ${url}${headers["proxy-authorization"] === undefined ? "" : " with a password"}`);
      const onward = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const variable of [onward, socket]) variable.on("error", () => {});
    });
    return { asked, address: await listen(proxy) };
  }

  async function startTls(): Promise<TlsServer> {
    const target = await startTlsServer();
    onTestFinished(() => target.close());
    return target;
  }

  const send = (url: string, ca?: string) =>
    createHttp().send({ url, signal: AbortSignal.timeout(5000), ...(ca !== undefined && { ca }) });

  describe("behind a proxy", () => {
    const variables = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"];
    test.each(variables)("an https request to %s goes through a tunnel", async (name) => {
      const { asked, address } = await startProxy();
      const target = await startTls();
      const { port } = new URL(target.origin);
      setProxy({ [name]: `http://me:canary@${address}` });
      expect(await send(`https://api.example.test:${port}/a`, target.ca)).toMatchObject({ status: 200, body: "{}" });
      expect([asked, target.requests]).toEqual([[`CONNECT api.example.test:${port} with a password`], ["/a"]]);
      // The certificate is still checked.
      await expect(send(`https://api.example.test:${port}/a`)).rejects.toMatchObject({ reason: "unavailable" });
    });

    test("an http request is passed to the proxy", async () => {
      const { asked, address } = await startProxy();
      const target = await listen(createServer((_, response) => void response.end("here")));
      const url = `http://hook.example.test:${target.split(":")[1]}/in`;
      setProxy({ HTTP_PROXY: `http://${address}` });
      expect(await send(url)).toMatchObject({ status: 200, body: "here" });
      expect(asked).toEqual([`GET ${url}`]);
    });

    test("this machine and NO_PROXY hosts are asked directly", async () => {
      const { asked, address } = await startProxy();
      const target = await startTls();
      setProxy({ HTTPS_PROXY: `http://${address}`, NO_PROXY: "10.0.0.0/8,example.test" });
      expect(await send(`${target.origin}/a`, target.ca)).toMatchObject({ status: 200 });
      await expect(send("https://api.example.test/a")).rejects.toMatchObject({ reason: "unavailable" });
      expect(asked).toEqual([]);
    });

    test("that refuses a request is named, and not the service behind it", async () => {
      const server = createServer((_, response) => void response.writeHead(407).end());
      server.on("connect", ({ url = "" }, socket) => {
        socket.end(`HTTP/1.1 ${url.startsWith("closed") ? "502 Bad Gateway" : "407 Unnamed"}\r\n\r\n`);
      });
      const address = await listen(server);
      setProxy({ ALL_PROXY: `http://me:canary@${address}` });
      const unnamed = { reason: "auth", message: expect.stringMatching(/^the proxy in the environment answered 407/) };
      for (const url of ["https://api.example.test/a", "http://api.example.test/a"])
        await expect(send(url)).rejects.toMatchObject({ ...unnamed, hint: expect.stringContaining("user:password@") });
      const message = "the proxy in the environment answered 502, not https://closed.example.test";
      await expect(send("https://closed.example.test/a")).rejects.toMatchObject({ reason: "unavailable", message });
      const client = new ServiceClient({ baseUrl: "https://api.example.test", apiKey: "key" });
      await expect(client.users.list().page()).rejects.toMatchObject({ name: "ServiceError", ...unnamed });
      setProxy({});
      expect(await send(`http://${address}/a`)).toMatchObject({ status: 407 });
    });

    test("an unusable proxy is an error without its password", async () => {
      const unusable = { reason: "rejected", hint: expect.stringContaining("HTTPS_PROXY") };
      const message = "the proxy in the environment cannot be reached (ECONNREFUSED)";
      const proxies = {
        "socks5://me:canary@127.0.0.1:1": unusable,
        "http://me:canary@": unusable,
        "http://me:canary@127.0.0.1:9": { reason: "unavailable", message },
      };
      for (const [proxy, expected] of Object.entries(proxies)) {
        setProxy({ HTTPS_PROXY: proxy });
        const error = await send("https://api.example.test/a").catch((thrown: unknown) => thrown);
        expect(error).toMatchObject(expected);
        expect(JSON.stringify(error) + String(error)).not.toContain("canary");
      }
    });
  });

  test("the built toolkit uses the proxy as well", async () => {
    const { asked, address } = await startProxy();
    const receiver = await openReceiver();
    const urls = [receiver.url, (await startTls()).origin];
    const [plain, secure] = urls.map((url) => url.replace("127.0.0.1", "hooks.example.test"));
    const notifiers = { plain: { type: "webhook", url: plain }, secure: { type: "webhook", url: secure } };
    const home = freshHome({ notifiers });
    const env = { ...home.env, HTTP_PROXY: `http://${address}`, HTTPS_PROXY: `http://${address}` };
    const { stdout } = await run(process.execPath, [join(dist, "cli.js"), "test", "plain", "secure"], "", { env });
    expect(stdout).toMatch(/plain\s+sent/);
    expect(asked.sort()).toEqual([`CONNECT ${new URL(secure ?? "").host}`, `POST ${plain}`]);
  });
});

describe("with NODE_TLS_REJECT_UNAUTHORIZED=0, which disables certificate checks", () => {
  const server = useShared("close", startTlsServer);
  beforeEach(() => {
    server.requests.length = 0;
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  });

  const ports = { "new connections": () => createHttp(), "kept ones": () => createHttp(Date.now, keptConnections()) };
  test.each(Object.entries(ports))("a server of an unknown authority gets nothing: %s", async (_, port) => {
    const sent = port().send({ url: server.origin, signal: AbortSignal.timeout(10_000) });
    await expect(sent).rejects.toMatchObject({
      reason: "unavailable",
      message: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+ cannot be reached \(.*(CERT|SIGNATURE)/),
      hint: expect.stringContaining("`ca`"),
    });
    expect(server.requests).toEqual([]);
  });

  test("the service client gives its key to an unknown server only with its authority's file", async () => {
    const options = { baseUrl: server.origin, apiKey: "key-of-a-test", maxRetries: 0 };
    await expect(new ServiceClient(options).users.list({}).page()).rejects.toMatchObject({ name: "ConnectionError" });
    expect(server.requests).toEqual([]);
    const page = new ServiceClient({ ...options, ca: server.ca }).users.list({}).page();
    await page.catch(() => {}); // {} instead of a list
    expect(server.requests).toHaveLength(1);
  });

  test("the worker checks the servers of its notifiers", async () => {
    const { ca, origin } = server;
    const notifiers = {
      known: { type: "webhook", url: `${origin}/known`, ca },
      unknown: { type: "webhook", url: `${origin}/unknown` },
      lost: { type: "webhook", url: `${origin}/lost`, ca: "/nowhere/no.pem" },
    };
    const home = freshHome({ notifiers, delivery: { linger: "0s" } });
    await home.launch(["Stop", "--agent", "claude"], "{}", { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
    const names = Object.keys(notifiers);
    const lines = await home.until((found) => names.every((name) => found.some((line) => line.notifier === name)));
    const statuses = names.map((name) => lines.find(({ notifier }) => notifier === name)?.status);
    expect(statuses).toEqual(["sent", "retrying", "failed"]);
    expect(lines.find(({ notifier }) => notifier === "lost")?.reason).toContain("no.pem cannot be read (ENOENT)");
    expect(server.requests).toEqual(["/known"]);
  });
});

type Row = readonly [list: string, url: string, expected: boolean];

// Compared with curl, except for ports and stars, which curl lacks.
const rows: readonly Row[] = [
  ["", "http://corp.example/", false],
  ["*", "http://corp.example/", true],
  ["corp.example", "http://corp.example/", true],
  ["corp.example", "http://hook.corp.example:1/", true],
  ["corp.example", "http://notcorp.example/", false],
  ["corp.example", "http://corp.example.org/", false],
  ["CORP.example", "http://hook.Corp.Example/", true],
  ["corp.example.", "http://hook.corp.example/", true],
  ["corp.example", "http://hook.corp.example./", true],
  [".corp.example", "http://hook.corp.example/", true],
  [".corp.example", "http://corp.example/", true],
  ["*.corp.example", "http://hook.corp.example/", true],
  ["*.corp.example", "http://other.example/", false],
  ["*example", "http://corp.example/", true],
  ["a.example, corp.example", "http://corp.example/", true],
  ["a.example corp.example", "http://corp.example/", true],
  ["a.example,,", "http://corp.example/", false],
  [".", "http://corp.example/", false],
  ["corp.example:8080", "http://corp.example:8080/", true],
  ["corp.example:8080", "http://corp.example/", false],
  ["corp.example:443", "https://corp.example/", true],
  ["10.9.8.7", "http://10.9.8.7/", true],
  ["10.9.8.7", "http://10.9.8.70/", false],
  ["10.9.8.7:18080", "http://10.9.8.7:18080/", true],
  ["10.0.0.0/8", "http://10.9.8.7:18080/", true],
  ["10.0.0.0/8", "http://11.9.8.7/", false],
  ["10.9.8.0/31", "http://10.9.8.2/", false],
  ["0.0.0.0/0", "http://192.0.2.1/", true],
  ["10.0.0.0/33", "http://10.9.8.7/", false],
  ["10.0.0.0/", "http://10.9.8.7/", false],
  ["10.0.0.0/x", "http://10.9.8.7/", false],
  ["10.0.0.0/8", "http://10.0.0.0.example/", false],
  [".8.7", "http://10.9.8.7/", false],
  ["2001:db8::/32", "http://[2001:db8::1]/", true],
  ["2001:db8::/32", "http://[2001:db9::1]/", false],
  ["[2001:db8::1]", "http://[2001:DB8::1]:99/", true],
  ["[2001:db8::1]:99", "http://[2001:db8::1]:99/", true],
  ["[2001:db8::1]:99", "http://[2001:db8::1]/", false],
  ["2001:db8::1", "http://[2001:db8:0:0::1]/", true],
];

test("NO_PROXY is read as by curl", () => {
  expect(rows.map(([list, url]) => [list, url, isExempt(new URL(url), list)])).toEqual(rows);
});
