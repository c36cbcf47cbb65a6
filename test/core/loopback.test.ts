import { describe, expect, test } from "vitest";
import { isLoopback } from "../../src/core/loopback.ts";

describe("isLoopback", () => {
  test.each(["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])("%s is this machine", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each(["", "localhost.example.com", "127.example.com", "1127.0.0.1", "[::1].example.com", "0.0.0.0", "::2"])(
    "%j is not",
    (host) => expect(isLoopback(host)).toBe(false),
  );
});
