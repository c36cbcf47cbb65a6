import type { Duplex } from "node:stream";

/** Maximum number of messages, and of bytes, to read before other work gets a turn. */
export const turnBudget = { messages: 256, bytes: 256 * 1024 } as const;
/** Maximum number of bytes that a peer may send in one message and over a connection before it is disconnected. */
export const peerBudget = { messageBytes: 1024 * 1024, connectionBytes: 16 * 1024 * 1024 } as const;

const maxChunks = 1024;

/** Binary protocol to read. */
interface Protocol {
  /** Returns the size of the message with which the bytes begin; undefined if too few bytes have arrived to tell. */
  readSize(bytes: Buffer): number | undefined;
  handle(message: Buffer): void;
}

/**
 * Reads messages from a connection. Destroys the connection if the peer exceeds `peerBudget`, or if `readSize` or
 * `handle` throws. Lets other work run whenever `turnBudget` is used up.
 * @param first bytes received before this call
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
