import { expect } from "vitest";
import { answerJson } from "../../world/hostile-server.ts";
import { type Cases, canary, limited, readLines } from "../contract/notifier-case.ts";

const code = (errcode: number, status = 200) =>
  answerJson(status, { errcode, errmsg: `May I run the tests? ${canary}` });
const goneBefore = { errcode: 300001, errmsg: "token is not exist" };
const shutOut = limited(600_000);

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ url: `${origin}/robot/send?access_token=${canary}`, secret: `SEC${canary}` }),
  success: answerJson(200, { errcode: 0, errmsg: "ok" }),
  rejections: [
    ["too many messages, in a success", code(130101), shutOut],
    ["too many messages, by the documented code", code(410100), shutOut],
    ["a wrong signature, keyword or address", code(310000), "auth"],
    ["an invalid token", code(400101), "auth"],
    ["a deleted robot", code(300005), "auth"],
    ["the same, in the older form", answerJson(200, goneBefore), "auth"],
    ["a bad request under the same code", code(300001), "rejected"],
    ["a deleted group", code(400013), "auth"],
    ["a forbidden text", code(430102), "rejected"],
    ["a busy service", code(-1), "unavailable"],
  ],
  read: ({ body }) => readLines(JSON.parse(body).text.content),
  valid({ body, path }) {
    const { msgtype, text, at } = JSON.parse(body);
    expect(msgtype).toBe("text");
    expect(text.content).not.toBe("");
    expect(at).toEqual({ atMobiles: [], atUserIds: [], isAtAll: false });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(15_000);
    const { searchParams } = new URL(path, "http://localhost");
    expect([...searchParams.keys()]).toEqual(["access_token", "timestamp", "sign"]);
    expect(searchParams.get("access_token")).toBe(canary);
  },
  mentions: ["@all @13800138000 @所有人 [x](dingtalk://x) # h"],
};
