import type { ControlChange } from "../../service/schemas/control-change.ts";
import type { ListedMessage } from "../../service/schemas/message.ts";
import type { OrganizationUser } from "../../service/schemas/organization-user.ts";
import type { ReadinessReport } from "../../service/schemas/readiness-report.ts";
import type { ListedSession } from "../../service/schemas/session.ts";
import { type Column, column, time, whole } from "./column.ts";

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

/** `settings` holds whatever the service puts there; which of it there is, and how much, is all that a table can say. */
export const changes: readonly Column<ControlChange>[] = [
  column("revision", (row) => row.revision),
  time("changed", (row) => row.updatedAt),
  column("by", (row) => row.user.name || row.user.email || row.user.id),
  column("e-mail", (row) => row.user.email),
  column("settings", (row) => Object.keys(row.settings).join(", ")),
];

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
