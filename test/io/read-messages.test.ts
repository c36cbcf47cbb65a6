import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { peerBudget, readMessages, turnBudget } from "../../src/io/read-messages.ts";
import { collectFailures } from "../world/collect-failures.ts";

/** Makes a connection whose messages begin with their size, in four bytes. */
function connect(take = (_: Buffer): void => {}) {
  const socket = new PassThrough({ highWaterMark: 64 * 1024 * 1024 });
  const taken: string[] = [];
  readMessages(socket, {
    readSize: (bytes) => (bytes.length < 4 ? undefined : bytes.readUInt32BE(0)),
    handle: (message) => {
      take(message);
      taken.push(message.toString("latin1", 4));
    },
  });
  return { socket, taken };
}

function message(content: Buffer | string, size = content.length + 4): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(size);
  return Buffer.concat([head, Buffer.from(content)]);
}

test("messages arrive as sent, however they are split", async () => {
  const pieces = fc.array(fc.nat(20), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 30, unit: "binary-ascii" })), pieces, async (texts, sizes) => {
      const { socket, taken } = connect();
      const bytes = Buffer.concat(texts.map((text) => message(text)));
      for (let at = 0, index = 0; at < bytes.length; index += 1) {
        const size = (sizes[index % sizes.length] ?? 0) + 1;
        socket.write(bytes.subarray(at, at + size));
        at += size;
      }
      socket.end();
      while (!socket.readableEnded) await nextTurn();
      expect(taken).toEqual(texts);
    }),
  );
});

test("a turn reads a limited number of messages and bytes, then other work gets its turn", async () => {
  const rows = [
    ["small messages", 1_000, 0, turnBudget.messages],
    ["large messages", 40, 64 * 1024, 4],
  ] as const;
  const check = async ([, count, size, perTurn]: (typeof rows)[number]): Promise<void> => {
    let inTurn = 0;
    let most = 0;
    const { socket, taken } = connect(() => {
      inTurn += 1;
      most = Math.max(most, inTurn);
    });
    socket.write(Buffer.concat(Array.from({ length: count }, () => message(Buffer.alloc(size)))));
    while (taken.length < count) {
      inTurn = 0;
      await nextTurn();
    }
    expect(most).toBe(perTurn);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a peer that exceeds its limit or sends nonsense is disconnected", async () => {
  const large = message(Buffer.alloc(1024 * 1024 - 4));
  const rows: readonly (readonly [string, Buffer, boolean])[] = [
    ["a message of the largest size", large, false],
    ["a message that is too large", message("", peerBudget.messageBytes + 1), true],
    ["a message of zero bytes", message("", 0), true],
    ["an unreadable message", message("bad"), true],
    ["the limit of bytes for a connection", Buffer.concat(Array(16).fill(large)), false],
    ["more bytes than the limit", Buffer.concat([...Array(16).fill(large), message("")]), true],
  ];
  const check = async ([, bytes, isHungUp]: (typeof rows)[number]): Promise<void> => {
    const { socket } = connect((read) => {
      if (read.toString("latin1", 4) === "bad") throw new RangeError("bad");
    });
    socket.end(bytes);
    while (!socket.destroyed && !socket.readableEnded) await nextTurn();
    expect(socket.destroyed && !socket.readableEnded).toBe(isHungUp);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});
