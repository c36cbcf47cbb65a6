import { expect, test } from "vitest";
import { isSecret } from "../../src/core/secret.ts";
import { serviceSettingsSchema } from "../../src/service/settings.ts";

const good = {
  baseUrl: "https://api.example.com/x",
  apiKey: "${env:BECKON_API_KEY}",
  appUrl: "https://app.example.com",
};

test.each([
  ["all of them", good],
  ["no appUrl", { baseUrl: good.baseUrl, apiKey: good.apiKey }],
  ["http on this machine", { ...good, baseUrl: "http://localhost:8080" }],
  ["http on this machine by IPv6", { ...good, baseUrl: "http://[::1]:8080" }],
])("service settings may have %s", (_, settings) => {
  expect(serviceSettingsSchema.safeParse(settings).success).toBe(true);
});

test.each([
  ["no key", { baseUrl: good.baseUrl }],
  ["http to another machine", { ...good, baseUrl: "http://api.example.com" }],
  ["http to a name that only looks like this machine", { ...good, baseUrl: "http://127.0.0.1.example.com" }],
  ["a user in the address", { ...good, baseUrl: "https://me:pass@api.example.com" }],
  ["a query in the address", { ...good, baseUrl: "https://api.example.com/?a=b" }],
  ["another protocol", { ...good, appUrl: "file:///etc/passwd" }],
  ["no address", { ...good, baseUrl: "api.example.com" }],
  ["a key with a line break", { ...good, apiKey: "a\r\nX-Evil: 1" }],
  ["an empty key", { ...good, apiKey: "" }],
])("service settings with %s are rejected", (_, settings) => {
  expect(serviceSettingsSchema.safeParse(settings).success).toBe(false);
});

test("every service setting is described, and the key is a secret", () => {
  for (const field of Object.values(serviceSettingsSchema.shape)) expect(field.description).toMatch(/\.$/);
  expect(isSecret(serviceSettingsSchema.shape.apiKey)).toBe(true);
});
