import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mask } from "../../../src/text/mask/mask.ts";
import { measureCpuMs } from "../../core/cpu-time.ts";

const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7";
/** Put together here, so that no scanner takes this file for a leak. */
const samples: readonly (readonly [string, string])[] = [
  ["GitHub", `ghp_${letters}abcdefghi`],
  ["GitHub, fine-grained", `github_pat_11${letters}_${letters}`],
  ["GitLab", `glpat-${letters}`],
  ["Anthropic", `sk-ant-api03-${letters}-${letters}`],
  ["OpenAI", `sk-proj-${letters}${letters}`],
  ["Stripe", `sk_live_${letters}`],
  ["Slack", `xoxb-123456789012-${letters}`],
  ["AWS", `AKIA${"ABCD1234EFGH5678"}`],
  ["Google", `AIza${letters}aBcDeFgH`],
  ["npm", `npm_${letters}abcdefghi`],
  ["Factory", `fk-${letters}`],
  ["Telegram", `123456789:${letters}aBcDeFgH`],
  ["Standard Webhooks", `whsec_${letters}==`],
  ["a JSON Web Token", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${letters}`],
  ["a private key", `-----BEGIN RSA PRIVATE KEY-----\n${letters}\n${letters}\n-----END RSA PRIVATE KEY-----`],
  ["a private key cut short", `-----BEGIN PRIVATE KEY-----\n${letters}\n${letters}`],
];

describe("masking", () => {
  test.each(samples)("hides %s, alone and within a sentence", (_, secret) => {
    expect(mask(secret)).toBe("[secret]");
    const masked = mask(`I will use (${secret}), is that right?`);
    expect(masked).not.toContain(letters.slice(4, 16));
    expect(masked).toMatch(/^I will use \(\[secret\]/);
  });

  test.each([
    ["curl -H 'Authorization: Bearer abcdefghijklmnop123'", "curl -H 'Authorization: Bearer [secret]'"],
    ["DB_PASSWORD=hunter22 npm start", "DB_PASSWORD=[secret] npm start"],
    ["curl -sSu shop:hunter22x api.local", "curl -sSu shop:[secret] api.local"],
    ["Bearer AbCdEfGhIjKlMnOpQr expired", "Bearer [secret] expired"],
    ['{"api_key": "abcdef123456"}', '{"api_key": "[secret]"}'],
    ["postgres://shop:pa55word@db:5432/shop", "postgres://shop:[secret]@db:5432/shop"],
    ["post to https://hooks.slack.com/services/T0/B0/abcdef now", "post to https://hooks.slack.com/[secret] now"],
    ["https://discord.com/api/webhooks/1/abcdef", "https://discord.com/api/[secret]"],
    ["https://api.telegram.org/bot123456789:AAabc/getMe", "https://api.telegram.org/[secret]"],
    ["https://open.feishu.cn/open-apis/bot/v2/hook/a-b-c", "https://open.feishu.cn/open-apis/bot/[secret]"],
    ["https://open.larksuite.com/open-apis/bot/v2/hook/a-b", "https://open.larksuite.com/open-apis/bot/[secret]"],
    [
      "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=a-b",
      "https://qyapi.weixin.qq.com/cgi-bin/webhook/[secret]",
    ],
    ["https://oapi.dingtalk.com/robot/send?access_token=ab12", "https://oapi.dingtalk.com/robot/[secret]"],
    [
      "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t",
      "https://chat.googleapis.com/v1/spaces/[secret]",
    ],
    [
      "https://prod-1.westeurope.logic.azure.com:443/workflows/1?sig=x",
      "https://prod-1.westeurope.logic.azure.com:443/[secret]",
    ],
    ["https://a.api.powerplatform.com:443/powerautomate?sig=x", "https://a.api.powerplatform.com:443/[secret]"],
    ["see https://open.feishu.cn/document/home", "see https://open.feishu.cn/document/home"],
    ["token: 2024-01-15 12:30:45, secret: 10.20.30", "token: 2024-01-15 12:30:45, secret: 10.20.30"],
  ])("hides the secret part of %s", (text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  test.each([
    "Droid needs your permission to use Execute",
    "commit 3f2504e04f8911d39a0c0305e82c3301a5f0b7f9 is on main",
    "550e8400-e29b-41d4-a716-446655440000",
    "the token count is 12.3k in, 4.5k out; tokens: 120",
    "see https://example.org/docs?page=2#top and http://localhost:8080/a@b",
    "sk-learn-pipelines-are-a-good-choice-here",
    "pk_users_account_identifier_index",
    "psql -h db -p 5432 shop",
    "Which password policy do you want: short or long?",
    "日本語 👩‍👩‍👧‍👦 Zażółć",
  ])("leaves %s alone", (text) => {
    expect(mask(text)).toBe(text);
  });

  test("finds secrets everywhere in a text of 200,000 characters, in lines or not", () => {
    const token = samples[0]?.[1] ?? "";
    for (const filler of ["lorem ipsum ", "lorem ipsum\n", "lorem", "a\n"]) {
      const words = filler.repeat(Math.ceil(1_000 / filler.length));
      const text = `${words} ${token} `.repeat(200);
      expect(mask(text)).toBe(`${words} [secret] `.repeat(200));
    }
    const key = `-----BEGIN PRIVATE KEY-----\n${"aB3d\n".repeat(40_000)}-----END PRIVATE KEY-----`;
    expect(mask(`${"a ".repeat(30_000)}${key} b`)).toBe(`${"a ".repeat(30_000)}[secret] b`);
  });

  test("changes nothing the second time", () => {
    const part = fc.oneof(fc.string(), fc.constantFrom(...samples.map(([, secret]) => secret), "token=", "://a:", "@"));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const once = mask(parts.join(" "));
        expect(mask(once)).toBe(once);
      }),
    );
  });
});

test("encoded addresses in each other are decoded three deep, in linear time, and masked whole below that", () => {
  const nest = (depth: number) => `?a=${"?a=".repeat(depth)}%${"25".repeat(depth)}`;
  expect(mask(nest(2_000))).toBe("?a=[secret]");
  const [short = 0, long = 0] = [2_000, 16_000].map((depth) => measureCpuMs(() => mask(nest(depth))));
  expect(long / Math.max(short, 1)).toBeLessThan(32);
});

test.each([
  ["\u001b[31mpassword=hunter2-Xy7\u001b[0m", "hunter2-Xy7"],
  ["\u001b[1mghp_abcdefghijklmnopqrstuvwxyz0123456789\u001b[m", "ghp_abc"],
  ["Authorization: Bearer \u001b[32mabcdefghij0123456789abcd\u001b[0m", "abcdefghij"],
])("colours hide no secret: %j", (text, secret) => {
  expect(mask(text)).not.toContain(secret);
  expect(mask("\u001b[31mfailed\u001b[0m")).toBe("\u001b[31mfailed\u001b[0m");
});
