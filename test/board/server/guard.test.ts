import { expect, test } from "vitest";
import { allowedPath } from "../../../src/board/server/guard.ts";

const secret = { token: "t0ken", port: 4711 };
const host = "127.0.0.1:4711";
const ask = (method: string, target: string, headers: Record<string, string>) =>
  allowedPath({ method, target, headers }, secret);

test.each([
  ["the page itself", "GET", "/t0ken/", { host }, "/"],
  ["by the machine's name", "GET", "/t0ken/log?words=a", { host: "localhost:4711" }, "/log?words=a"],
  ["typed by hand", "GET", "/t0ken/", { host, "sec-fetch-site": "none" }, "/"],
  [
    "an act of the page's",
    "POST",
    "/t0ken/seen",
    { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" },
    "/seen",
  ],
])("%s is answered", (_, method, target, headers, path) => {
  expect(ask(method, target, headers as Record<string, string>)).toBe(path);
});

test.each([
  ["a wrong token", "GET", "/t0kem/", { host }],
  ["a longer token", "GET", "/t0kens/", { host }],
  ["no token", "GET", "/", { host }],
  ["an empty token", "GET", "//", { host }],
  ["a name that was rebound to this machine", "GET", "/t0ken/", { host: "evil.example:4711" }],
  ["another port", "GET", "/t0ken/", { host: "127.0.0.1:4712" }],
  ["no Host", "GET", "/t0ken/", {}],
  ["another page's origin", "POST", "/t0ken/seen", { host, origin: "https://evil.example" }],
  ["an origin that is hidden", "POST", "/t0ken/seen", { host, origin: "null" }],
  ["an act without an origin", "POST", "/t0ken/seen", { host }],
  ["another origin that only reads", "GET", "/t0ken/", { host, origin: "http://localhost:3000" }],
  ["what another site loads", "GET", "/t0ken/board.js", { host, "sec-fetch-site": "cross-site" }],
  ["another port of this machine", "GET", "/t0ken/", { host, "sec-fetch-site": "same-site" }],
])("%s is not", (_, method, target, headers) => {
  expect(ask(method, target, headers as Record<string, string>)).toBeUndefined();
});
