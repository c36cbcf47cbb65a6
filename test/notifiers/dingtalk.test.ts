import { expect, test } from "vitest";
import { dingtalk } from "../../src/notifiers/dingtalk.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";

const url = "https://oapi.dingtalk.com/robot/send?access_token=t";

test("the signature is DingTalk's, encoded for a URL", () => {
  const request = makeRequest(dingtalk, { url, secret: "demo-secret" }, { nowMs: 1_700_000_000_000 });
  expect(request.url).toBe(`${url}&timestamp=1700000000000&sign=mSUvvxbX7ba307ODWOhHpJmbw3QdiJvvLe0lcElsApI%3D`);
});

test("without a secret the request is unsigned, and the keyword is included", () => {
  const settings = { url, keyword: "beckon" };
  expect(makeRequest(dingtalk, settings).url).toBe(url);
  expect(makePayload(dingtalk, settings).text.content).toBe("beckon: t\nb");
});
