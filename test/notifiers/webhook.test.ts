import { expect, test } from "vitest";
import { sign } from "../../src/notifiers/webhook.ts";
import { secret } from "./cases/webhook.ts";

test("the signature follows the Standard Webhooks rules", () => {
  const body = '{"type":"agent.finished","timestamp":"2026-11-01T00:00:00Z","data":{"project":"demo"}}';
  expect(sign(secret, "msg_demo1", "1700000000", body)).toBe("v1,PZv1KM2FZLZPM42uDB5OJ3tmWNnN7bXaVwNjIH7hNTg=");
});
