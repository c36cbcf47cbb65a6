import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { redactor } from "../../src/core/redactor.ts";
import { isSecret, referencePattern, secret, secretUrl } from "../../src/core/secret.ts";

const secretText = fc.string({ unit: "binary", minLength: 6, maxLength: 30 });

describe("a redactor", () => {
  test("leaves no secret in any text, whether plain, percent-encoded or in base64", () => {
    const forms = (value: string) => [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString("base64").replace(/=+$/, ""),
    ];
    const check = (secrets: readonly string[], before: string, after: string) => {
      const redact = redactor(secrets);
      for (const hidden of secrets.flatMap(forms)) {
        // The placeholder's own characters cannot be kept out.
        if ("[secret]".includes(hidden) || `${before}${after}`.includes(hidden)) continue;
        const shown = redact(`${before}${hidden}${after}`).replaceAll("[secret]", "\0");
        expect(shown).not.toContain(hidden);
      }
    };
    const secrets = fc.array(secretText, { minLength: 1, maxLength: 3 });
    fc.assert(fc.property(secrets, fc.string(), fc.string(), check), { numRuns: 300 });
  });

  test("leaves no part of overlapping secrets", () => {
    expect(redactor(["abcdefgh", "fghijklm"])("<abcdefghijklm>")).toBe("<[secret]>");
    expect(redactor(["abcdefghij", "cdefgh"])("<abcdefghij>")).toBe("<[secret]>");
    expect(redactor(["aaaaaa"])("<aaaaaaaaa>")).toBe("<[secret]>");
    expect(redactor(["token-1", "token-12345"])("token-12345 token-1")).toBe("[secret] [secret]");
  });

  test("is not confused by a secret that is part of its placeholder", () => {
    expect(redactor(["secret", "my-password"])("my-password and secret")).toBe("[secret] and [secret]");
  });

  test.each([
    ["a URL's path", "https://h/T/B0/tok en", "GET https://h/T/B0/tok en failed", "GET [secret] failed"],
    ["a query", "p&ss wörd", "?key=p%26ss%20w%C3%B6rd&x", "?key=[secret]&x"],
    ["base64 with padding", "hunter22", "Basic aHVudGVyMjI=", "Basic [secret]="],
    ["a pattern's characters", "a.*b+(c)$&", "x a.*b+(c)$& y", "x [secret] y"],
    ["an unpaired half", "abc\ud800def", "abc\ud800def", "[secret]"],
  ])("finds a secret in %s", (_, hidden, text, shown) => {
    expect(redactor([hidden])(text)).toBe(shown);
  });

  test("leaves alone texts that are too short to be secrets", () => {
    expect(redactor(["", "a", "12345"])("a 12345")).toBe("a 12345");
  });
});

describe("a secret setting", () => {
  const schema = z.object({ url: secretUrl("Where."), key: secret(z.string().min(3)).optional().describe("Key.") });

  test.each([
    ["the value itself", { url: "https://example.org/x" }],
    ["references", { url: "${env:URL}", key: "${file:~/.key}" }],
    ["a command", { url: "${command:pass show chat/url}" }],
  ])("takes %s", (_, value) => {
    expect(schema.parse(value)).toEqual(value);
  });

  test.each([
    ["no address", { url: "nope" }],
    ["another scheme", { url: "file:///etc/passwd" }],
    ["a script", { url: "javascript:alert(1)" }],
    ["a reference that is part of a text", { url: "https://h/${env:X}" }],
    ["a value the inner schema refuses", { url: "https://h", key: "x" }],
    ["no text", { url: 5 }],
  ])("refuses %s", (_, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  test("is recognized below optional, default, nullable and describe", () => {
    const inner = secret(z.string());
    const forms = [inner, inner.optional(), inner.default("x"), inner.nullable(), inner.optional().describe("x")];
    expect(forms.map(isSecret)).toEqual(forms.map(() => true));
    expect(isSecret(z.string())).toBe(false);
    expect(isSecret(schema)).toBe(false);
  });

  test("is a reference if the whole text is one", () => {
    const references = ["${env:A}", "${file:/a b/c}", "${command:a b c}"];
    const others = ["${env:}", "${ENV:A}", "${http://x}", "a${env:A}", "${env:A}b", "${env:${env:A}}", "$env:A"];
    expect([...references, ...others].filter((text) => referencePattern.test(text))).toEqual(references);
  });
});
