import { expect, test } from "vitest";
import { isLoopback } from "../../src/core/http-port.ts";

test("only the names and addresses of this machine are loopback", () => {
  const ours = ["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"];
  const others = ["", "localhost.example.com", "127.example.com", "1127.0.0.1", "[::1].example.com", "0.0.0.0", "::2"];
  expect([...ours, ...others].filter(isLoopback)).toEqual(ours);
});
