import type { Duplex } from "node:stream";

/** Maximum number of messages and bytes to read before yielding to other work. */
export const turnBudget = { messages: 256, bytes: 256 * 1024 } as const;
/** Maximum number of bytes of a message and of a connection, which is closed if a peer sends more. */
export const peerBudget = { messageBytes: 1024 * 1024, connectionBytes: 16 * 1024 * 1024 } as const;

const maxChunks = 1024;

/** Message format of a binary protocol. */
interface Protocol {
  /** Returns the size of the message at the start of the bytes; undefined if there are too few. */
  readSize(bytes: Buffer): number | undefined;
  /** Handles a complete message. */
  handle(message: Buffer): void;
}

/**
 * Reads messages from a connection within `turnBudget` and `peerBudget`. Destroys the connection if a peer exceeds its
 * budget, or if `sizeOf` or `take` throws. @param first bytes received earlier
 */
export function readMessages(socket: Duplex, { readSize, handle }: Protocol, first: Buffer = Buffer.alloc(0)): void {
  let chunks = [first];
  let size = first.length;
  let total = size;
  let wanted = 1;
  let isResting = false;
  const readTurn = (): void => {
    let bytes = Buffer.concat(chunks);
    const spentAt = { bytes: bytes.length - turnBudget.bytes, messages: turnBudget.messages };
    for (let next = readSize(bytes), count = 0; !socket.destroyed; next = readSize(bytes), count += 1) {
      if (next !== undefined && !(next > 0 && next <= peerBudget.messageBytes)) throw new RangeError("message size");
      wanted = next ?? bytes.length + 1;
      if (wanted > bytes.length) break;
      if (count === spentAt.messages || bytes.length <= spentAt.bytes) {
        rest();
        break;
      }
      handle(bytes.subarray(0, next));
      bytes = bytes.subarray(next);
    }
    chunks = [bytes];
    size = bytes.length;
  };
  const read = (): void => {
    try {
      if (size >= wanted) readTurn();
      else if (chunks.length > maxChunks) chunks = [Buffer.concat(chunks)];
    } catch {
      socket.destroy(); // invalid bytes
    }
  };
  const rest = (): void => {
    isResting = true;
    socket.pause();
    setImmediate(() => {
      isResting = false;
      read();
      if (!isResting) socket.resume();
    });
  };
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    total += chunk.length;
    if (total > peerBudget.connectionBytes) socket.destroy();
    else if (!isResting) read();
  });
  read();
}
