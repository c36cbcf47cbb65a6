import { isDeepStrictEqual } from "node:util";
import type { ControlChange } from "../../service/schemas/control-change.ts";
import type { ListedMessage } from "../../service/schemas/sessions.ts";
import type { OrganizationUser } from "../../service/schemas/organization-user.ts";
import type { ReadinessReport } from "../../service/schemas/readiness-report.ts";
import type { ListedSession } from "../../service/schemas/session.ts";
import { type Column, column, time, whole } from "../commands/service/output/column.ts";

const commitChars = 10;

/** Most telling first: what does not fit is left out from the end. */
export const reports: readonly Column<ReadinessReport>[] = [
  time("evaluated", (row) => row.createdAt),
  column("passed", (row) => passed(row)),
  column("repository", (row) => row.repoUrl.replace(/^https?:\/\//, "")),
  column("branch", (row) => row.branch),
  whole("commit", (row) => row.commitHash?.slice(0, commitChars)),
  column("model", (row) => row.modelUsed && `${row.modelUsed.id} ${row.modelUsed.reasoningEffort}`),
  column("apps", (row) => Object.keys(row.apps).length),
  whole("report", (row) => row.reportId),
];

/** Of all sub-applications of all criteria, those that pass. */
function passed({ report }: ReadinessReport): string {
  const criteria = Object.values(report);
  const sum = (part: "numerator" | "denominator") => criteria.reduce((total, criterion) => total + criterion[part], 0);
  const [passing, all] = [sum("numerator"), sum("denominator")];
  return all === 0 ? "" : `${passing} of ${all}`;
}

/** Of the settings, which hold whatever the service puts there, only what the change was about. */
export const changes: readonly Column<ControlChange>[] = [
  column("revision", (row) => row.revision),
  time("when", (row) => row.updatedAt),
  column("by", (row) => row.user.email || row.user.name || row.user.id),
  column("changed settings", changedSettings),
];

/** Names of the properties that are not as in the revision before, which comes after it; `?` where a page ends before. */
function changedSettings({ settings }: ControlChange, below?: ControlChange): string {
  if (below === undefined) return "?";
  const names = new Set([...Object.keys(settings), ...Object.keys(below.settings)]);
  return [...names].filter((name) => !isDeepStrictEqual(settings[name], below.settings[name])).join(", ");
}

export const sessions: readonly Column<ListedSession>[] = [
  whole("session", (row) => row.sessionId),
  column("status", (row) => row.status),
  column("title", (row) => row.title),
  time("updated", (row) => row.updatedAt),
  column("messages", (row) => row.messageCount),
  column("credits", (row) => row.sessionSettings?.tokenUsage?.serviceCredits),
  column("model", (row) => row.sessionSettings?.model),
  column("computer", (row) => row.computerId),
  time("created", (row) => row.createdAt),
];

export const messages: readonly Column<ListedMessage>[] = [
  whole("message", (row) => row.id),
  column("role", (row) => row.role),
  time("created", (row) => row.createdAt),
  column("text", (row) => row.content?.map(({ text }) => text).join(" ")),
];

export const people: readonly Column<OrganizationUser>[] = [
  whole("user", (row) => row.id),
  column("e-mail", (row) => row.email),
  column("name", (row) => [row.firstName, row.lastName].filter(Boolean).join(" ")),
  time("last sign-in", (row) => row.lastSignInAt),
  time("created", (row) => row.createdAt),
];
