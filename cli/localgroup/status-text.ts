/** The running sessions for people, and as one data form. */
import { type DataForm, keyword, prettyPrintDataForm } from "../../lisp/data-forms/index.ts";
import type { HostLaunch } from "../../orchestrator/contract/acp/endpoint-record.ts";
import { conversationName } from "../terminal/screen/conversation-name.ts";
import { textWidth, truncated } from "../terminal/text/text-width.ts";
import { visibleLine } from "../terminal/text/visible-text.ts";
import type { SessionRow } from "./session-selection.ts";

/** A session and the host that has it open. */
export type StatusRow = {
  readonly session: SessionRow;
  readonly hostId: string;
  readonly processId: number;
  /** Undefined for a host of an older program, which does not say. */
  readonly launch: HostLaunch | undefined;
};

/** Columns of a title. */
const titleColumns = 40;

/** An aligned table; no line ends with blanks. */
export function statusText(rows: readonly StatusRow[]): string {
  if (rows.length === 0) return "No session is running.\n";
  const launches = rows.map(({ launch }) => launchText(launch));
  // Most hosts have no options of their own: the column is there when one has.
  const hasLaunches = launches.some((text) => text !== "");
  const table = [
    [
      ...["ID", "STATUS", "JOBS", "FORMS", "WAITING", "CLIENTS", "MODE"],
      ...(hasLaunches ? ["LAUNCH"] : []),
      ...["TITLE", "DIRECTORY"],
    ],
    ...rows.map(({ session }, index) => [
      conversationName(session.sessionId),
      session.status,
      String(session.liveJobs),
      String(session.runningForms),
      String(session.waitingInputs),
      String(session.clients.length),
      session.mode,
      ...(hasLaunches ? [launches[index] || "-"] : []),
      truncated(visibleLine(session.title), titleColumns),
      visibleLine(session.cwd),
    ]),
  ];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => textWidth(row[column] ?? ""))),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - textWidth(cell)))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** The options that a host was launched with besides the usual; "" for none. */
function launchText(launch: HostLaunch | undefined): string {
  if (launch === undefined) return "unknown";
  const { mode, siteConfigRoot } = launch;
  return [
    ...(mode === "usual" ? [] : [mode]),
    ...(siteConfigRoot === undefined ? [] : [`site ${visibleLine(siteConfigRoot)}`]),
  ].join(", ");
}

/**
 * `(:autolith-localgroup :version 1 :sessions ((:id "b-…" :title "…" :status :idle …) …))`. Instants are `YYYY-MM-DDTHH:MM:SSZ`; sessions
 * come oldest first.
 */
export function statusSexp(rows: readonly StatusRow[]): string {
  const sessions = rows.map(sessionForm);
  const form: DataForm = [
    keyword("autolith-localgroup"),
    keyword("version"),
    1,
    keyword("sessions"),
    sessions,
  ];
  return `${prettyPrintDataForm(form, { width: 120 })}\n`;
}

function sessionForm({ session, hostId, processId, launch }: StatusRow): DataForm {
  const entries: readonly (readonly [string, DataForm])[] = [
    ["id", conversationName(session.sessionId)],
    ["title", session.title],
    ["status", keyword(session.status)],
    ["directory", session.cwd],
    ["model", session.model],
    ["mode", keyword(session.mode)],
    ["live-jobs", session.liveJobs],
    ["running-forms", session.runningForms],
    ["waiting-inputs", session.waitingInputs],
    ["created-at", instant(session.createdAt)],
    ["last-activity-at", instant(session.lastActivityAt)],
    ["host", hostId],
    ["process", processId],
    ["launch", launch === undefined ? keyword("unknown") : keyword(launch.mode)],
    ...(launch?.siteConfigRoot === undefined ? [] : [["site-config-root", launch.siteConfigRoot] as const]),
    ["clients", session.clients.map(clientForm)],
  ];
  return entries.flatMap(([name, value]) => [keyword(name), value]);
}

function clientForm(client: SessionRow["clients"][number]): DataForm {
  return [
    ...[keyword("name"), client.name, keyword("read-only"), client.readOnly],
    ...[keyword("attached-at"), instant(client.attachedAt)],
  ];
}

function instant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
