import type { AgentEvent } from "../../src/core/event.ts";
import { parse } from "../../src/pipeline/parse.ts";
import type { RecordHeader } from "../../src/spool/record.ts";

export type Header = Partial<RecordHeader>;

/** Parses the event `id-1` from a payload. The event is a Stop without an agent, unless the header says otherwise. */
export function parsed(payload: object | string | Buffer, header: Header = {}, end = 0): AgentEvent {
  const bytes = Buffer.from(
    typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  );
  return parse({ header: { v: 1, event: "Stop", ...header }, payload: bytes, end }, "id-1", 1_700_000_000_000);
}
