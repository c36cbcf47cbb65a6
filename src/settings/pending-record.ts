import { sha256 } from "./content.ts";
import type { InstallJob, InstallPlace, PlannedFile } from "../installer/plan-agent.ts";
import { isAsWritten } from "../installer/plan-file.ts";
import type { InstallRecord } from "../installer/record.ts";

/** The record of an install that is about to happen. `folders` were made for it. */
export function pendingRecord(
  paths: InstallPlace,
  job: InstallJob,
  planned: PlannedFile,
  folders: readonly string[],
): InstallRecord {
  const { snapshot, record, original, before, after, created } = planned;
  const continues = before !== undefined && record !== undefined && isAsWritten(record, before);
  const entries = [...job.wanted].map(([event, { command, timeout }]) => [event, { command, timeout }] as const);
  return {
    v: 1,
    agent: job.agent,
    scope: job.scope,
    shape: job.file.shape,
    file: snapshot.path,
    target: snapshot.target,
    state: "pending",
    original: original === undefined ? null : original.toString("base64"),
    written: [...(continues ? record.written : []), ...(after ? [sha256(after)] : [])],
    entries: Object.fromEntries(entries),
    created: created.map((path) => [...path]),
    folders: [...new Set([...(record?.folders ?? []), ...folders])],
    launcher: paths.launcher,
    app: paths.app,
    ...(job.chosen.events ? { events: [...job.chosen.events] } : {}),
    ...(job.chosen.waitSeconds === undefined ? {} : { waitSeconds: job.chosen.waitSeconds }),
  };
}
