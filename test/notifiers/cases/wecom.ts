import { expect } from "vitest";
import { answerJson } from "../../world/hostile-server.ts";
import { type Cases, canary, limited, readLines } from "../contract/notifier-case.ts";

const code = (errcode: number, status = 200) =>
  answerJson(status, { errcode, errmsg: `May I run the tests? ${canary}` });

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ url: `${origin}/cgi-bin/webhook/send?key=${canary}` }),
  success: answerJson(200, { errcode: 0, errmsg: "ok" }),
  rejections: [
    ["too many messages, in a success", code(45009), limited(65_000)],
    ["a deleted robot", code(93000), "auth"],
    ["a long text", code(40058), "rejected"],
    ["a busy service", code(-1), "unavailable"],
  ],
  read: ({ body }) => readLines(JSON.parse(body).text.content.replaceAll("<\u200b", "<")),
  valid({ body }) {
    const { msgtype, text } = JSON.parse(body);
    expect(msgtype).toBe("text");
    expect(Object.keys(text)).toEqual(["content"]);
    expect(Buffer.byteLength(text.content)).toBeLessThanOrEqual(2_048);
    expect(text.content).not.toMatch(/^$|<(?!\u200b)/);
  },
  mentions: ["<@zhangsan> <@all> @all <\u200b@x> <font color='warning'>x</font>"],
};
