import { isAscii } from "node:buffer";
import { Readable, type Transform } from "node:stream";
import { readErrno } from "../core/errors.ts";
import type { HttpReply } from "../core/http-port.ts";
import { once } from "../core/once.ts";
import { findUnknown, listCodings } from "./coding-names.ts";

/** Body of a reply before decoding, or the beginning of the body. */
export interface CodedBody {
  readonly chunks: readonly Buffer[];
  /** True if the rest of the body was not read. */
  readonly isCut: boolean;
  /** Value of `Content-Encoding`. */
  readonly coding: string;
}

/** Loads zlib when the first compressed reply arrives. Few programs ever need it. */
const loadZlib = once(() => import("node:zlib"));
type Zlib = Awaited<ReturnType<typeof loadZlib>>;

/**
 * Decodes a body up to `maxBytes` of the decoded text, so that a small body cannot fill the memory.
 * @throws for a body that is not valid in its coding
 */
export async function decodeBody(
  { chunks, isCut, coding }: CodedBody,
  maxBytes: number,
): Promise<Pick<HttpReply, "body" | "truncated" | "unknownCoding">> {
  const applied = listCodings(coding);
  const unknownCoding = findUnknown(applied);
  if (unknownCoding !== undefined) return { body: "", unknownCoding };
  const codings = applied.toReversed();
  const zlib = await loadZlib();
  const whole = isCut ? undefined : decodeWhole(zlib, Buffer.concat(chunks), codings, maxBytes);
  if (whole !== undefined) return { body: decodeText(whole) };
  return { body: decodeText(await decodeBeginning(zlib, chunks, codings, maxBytes)), truncated: true };
}

/** Decodes UTF-8. If all bytes are ASCII, decodes them as Latin-1, because the result is the same and V8 is faster. */
export function decodeText(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/**
 * Decodes a complete body at once, which is faster than as a stream. Returns undefined if the result exceeds
 * `maxBytes`.
 * @param codings names of the codings, the one that was applied last first
 */
function decodeWhole(zlib: Zlib, body: Buffer, codings: readonly string[], maxBytes: number): Buffer | undefined {
  try {
    const limits = { maxOutputLength: maxBytes };
    return codings.reduce((bytes, name) => {
      if (name === "br") return zlib.brotliDecompressSync(bytes, limits);
      if (name !== "deflate") return zlib.gunzipSync(bytes, limits);
      return hasZlibHeader(bytes) ? zlib.inflateSync(bytes, limits) : zlib.inflateRawSync(bytes, limits);
    }, body);
  } catch (error) {
    if (readErrno(error) === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

/** Decodes a body and returns the first `maxBytes` of the result. The body may be incomplete. */
async function decodeBeginning(
  zlib: Zlib,
  chunks: readonly Buffer[],
  codings: readonly string[],
  maxBytes: number,
): Promise<Buffer> {
  let stream: Readable = Readable.from(chunks);
  for (const [index, name] of codings.entries()) {
    const decoder = createDecoder(zlib, name, index === 0 ? chunks[0] : undefined);
    stream = stream.on("error", (error) => decoder.destroy(error)).pipe(decoder);
  }
  const decoded: Buffer[] = [];
  let sizeBytes = 0;
  try {
    // Leaving the loop stops the decoders.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      decoded.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) break;
    }
  } catch {
    // A body that was cut ends in an error; its beginning is all that is needed.
  }
  return Buffer.concat(decoded, Math.min(sizeBytes, maxBytes));
}

function createDecoder(zlib: Zlib, name: string, start: Buffer | undefined): Transform {
  if (name === "br") return zlib.createBrotliDecompress();
  if (name !== "deflate") return zlib.createGunzip();
  return start === undefined || hasZlibHeader(start) ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Checks for the zlib header, which some servers leave out: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2 */
function hasZlibHeader(start: Buffer): boolean {
  return (Number(start[0]) & 0x0f) === 8;
}
