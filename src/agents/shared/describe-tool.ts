import { type Payload, readToolInput } from "../../core/agent.ts";
import { asObject } from "../../core/json-value.ts";
import { describeCall } from "../transcripts/describe-call.ts";
import { shortLine } from "../transcripts/record.ts";

/** Describes the tool call of a permission request, with `describeCall`. */
export function describeTool(payload: Payload): string | undefined {
  return describeCall(payload.tool_name ?? payload.toolName, asObject(readToolInput(payload)), shortLine(payload.cwd));
}
