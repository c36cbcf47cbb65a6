import { describe, expect, test } from "vitest";
import { describeFailure } from "../../src/report/collect.ts";
import { findGaps } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { ConnectionError, TimeoutError } from "../../src/service/error.ts";
import { useCliHome } from "../world/cli-home.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, runPlain } from "./plain-service.ts";

const body = { title: "Internal Error", detail: "Something broke.", status: 500, requestId: "req_42" };
const readNotice = (page: string): string => readHtmlText(/<aside[^>]*>(.*?)<\/aside>/s.exec(page)?.[1] ?? "");

test.each([
  [500, "the service failed (500 Internal Error: Something broke)"],
  [403, "the key is not allowed to read these data (403 Internal Error: Something broke)"],
  [409, "the service refused the request (409 Internal Error: Something broke)"],
  [200, "the service sent a reply that could not be read"],
])("the page says plainly that status %d cost a part, with the request's id", async (status, plain) => {
  const report = await collectPlain({ tools: { status, body: { ...body, status } } });
  const notice = readNotice(renderPage(report));
  if (status !== 200) expect(notice).toContain(`missing: ${plain} (request req_42).`);
  else expect(notice).toContain(`missing: ${plain}`);
  expect(notice).not.toMatch(/`|https?:|127\.0\.0\.1/);
  if (status !== 200) expect(findGaps(report)[0]?.text).toMatch(/^missing: http:.* answered \d+ .*\(request req_42\)$/);
});

test.each([
  [new TimeoutError("timeout", "`http://x` did not answer"), "the service did not answer in time"],
  [new ConnectionError("unavailable", "`http://x` cannot be reached"), "the service could not be reached"],
])("%s is said plainly", (error, plainReason) => {
  expect(describeFailure(error)).toMatchObject({ plainReason });
});

describe("the command", () => {
  const home = useCliHome();

  test("names the request on standard error and on the page", async () => {
    const { exitCode, stdout, stderr } = await runPlain(home, { tools: { status: 409, body } }, "--out", "-");
    expect(exitCode).toBe(1);
    expect([stderr, readNotice(stdout)]).toEqual(Array(2).fill(expect.stringContaining("(request req_42)")));
  });
});
