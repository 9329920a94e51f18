import { describe, expect, it } from "vitest";
import { conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { type SessionRow, selectSession } from "../../../cli/localgroup/session-selection.ts";
import { type StatusRow, statusSexp, statusText } from "../../../cli/localgroup/status-text.ts";

function row(id: string, more: Partial<SessionRow> = {}): SessionRow {
  return {
    sessionId: conversationIdSchema.parse(id),
    title: "a title",
    cwd: "/w",
    model: "p/m",
    mode: "ask",
    status: "idle",
    liveJobs: 0,
    runningForms: 0,
    waitingInputs: 0,
    createdAt: 0,
    lastActivityAt: 1_000,
    clients: [],
    ...more,
  };
}

const uuid = "0a1b2c3d-0000-4000-8000-000000000000";
const sessions = ["b6uouHJ", "b7uouHJ", "C6uouHJ", uuid].map((id) => ({ session: row(id), host: "h" }));

function chosen(wanted: string | undefined, among = sessions): string {
  try {
    return selectSession(among, wanted).session.sessionId;
  } catch (error) {
    return error instanceof AutolithError ? `${error.code}: ${error.message}` : String(error);
  }
}

describe("choosing a session", () => {
  it("takes ids and prefixes, with or without the display hyphen", () => {
    expect(["b-6uouHJ", "b6uouHJ", "b-6", "b6", "C", "0A1B"].map((wanted) => chosen(wanted))).toEqual([
      "b6uouHJ",
      "b6uouHJ",
      "b6uouHJ",
      "b6uouHJ",
      "C6uouHJ",
      uuid,
    ]);
  });

  it("tells ambiguity with the ids that fit, and takes a full id before a prefix", () => {
    expect(chosen("b")).toBe(
      'ambiguous-session: "b" fits 2 sessions: b-6uouHJ, b-7uouHJ. Give a longer prefix.',
    );
    expect(chosen("c6")).toContain("unknown-session: ");
    expect(chosen("")).toContain("unknown-session: ");
  });

  it("needs no id when there is one session", () => {
    expect(chosen(undefined, sessions.slice(0, 1))).toBe("b6uouHJ");
    expect(chosen(undefined)).toContain(
      "ambiguous-session: 4 sessions are running: b-6uouHJ, b-7uouHJ, C-6uouHJ",
    );
    expect(chosen(undefined, [])).toContain("no-session: No session is running.");
  });
});

describe("the status of sessions", () => {
  it("is an aligned table for people", () => {
    const rows: readonly StatusRow[] = [
      {
        session: row("b6uouHJ", { title: "漢字\u001B[31m", status: "running", liveJobs: 12 }),
        hostId: "h",
        processId: 1,
        launch: { mode: "usual" },
      },
      {
        session: row("b7uouHJ", { title: "second", status: "working", runningForms: 2 }),
        hostId: "h",
        processId: 1,
        launch: { mode: "usual" },
      },
    ];
    expect(statusText(rows).split("\n")).toEqual([
      "ID        STATUS   JOBS  FORMS  WAITING  CLIENTS  MODE  TITLE   DIRECTORY",
      "b-6uouHJ  running  12    0      0        0        ask   漢字    /w",
      "b-7uouHJ  working  0     2      0        0        ask   second  /w",
      "",
    ]);
    expect(statusText([])).toBe("No session is running.\n");
    const launched = [
      { ...rows[0], launch: { mode: "pristine", siteConfigRoot: "/etc/site" } },
      { ...rows[1], launch: { mode: "usual" } },
    ] as const;
    expect(statusText(launched as readonly StatusRow[]).split("\n")).toEqual([
      "ID        STATUS   JOBS  FORMS  WAITING  CLIENTS  MODE  LAUNCH                    TITLE   DIRECTORY",
      "b-6uouHJ  running  12    0      0        0        ask   pristine, site /etc/site  漢字    /w",
      "b-7uouHJ  working  0     2      0        0        ask   -                         second  /w",
      "",
    ]);
    expect(statusSexp(launched as readonly StatusRow[])).toMatch(
      /:LAUNCH :PRISTINE\s+:SITE-CONFIG-ROOT "\/etc\/site"/,
    );
  });

  it("is one data form for programs", () => {
    const client = {
      name: "terminal",
      readOnly: true,
      answersPermissions: false,
      attachedAt: 0,
      self: false,
    };
    const text = statusSexp([
      {
        session: row("b6uouHJ", { clients: [client] }),
        hostId: "h1",
        processId: 7,
        launch: { mode: "usual" },
      },
    ]);
    expect(text.replace(/\s+/g, " ").trim()).toBe(
      '(:AUTOLITH-LOCALGROUP :VERSION 1 :SESSIONS ((:ID "b-6uouHJ" :TITLE "a title" :STATUS :IDLE :DIRECTORY "/w" :MODEL "p/m" :MODE :ASK :LIVE-JOBS 0 :RUNNING-FORMS 0 :WAITING-INPUTS 0 :CREATED-AT "1970-01-01T00:00:00Z" :LAST-ACTIVITY-AT "1970-01-01T00:00:01Z" :HOST "h1" :PROCESS 7 :LAUNCH :USUAL :CLIENTS ((:NAME "terminal" :READ-ONLY T :ATTACHED-AT "1970-01-01T00:00:00Z")))))',
    );
  });
});
