/** `autolith localgroup`, `autolith lg`: looks at running sessions and acts on them from another shell. */
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import { replLimits } from "../../orchestrator/repls/repl-limits.ts";
import { type OptionTable, type ParsedCommand, UsageError, parseArguments } from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { hostLaunch } from "../host/host-launch.ts";
import { type RunningHost, runningHosts, sharedHost } from "../terminal/link/shared-host.ts";
import { conversationName } from "../terminal/screen/conversation-name.ts";
import { type Reachable, selectSession } from "./session-selection.ts";
import { statusSexp, statusText } from "./status-text.ts";

const usage = `Usage: autolith lg COMMAND   (lg is short for localgroup)
Looks at running sessions and acts on them. SESSION-ID is an id or a prefix that fits one session; it may be left out when
exactly one session is running.

  status [--sexp]            lists running sessions, as a table or as one data form
  tell [SESSION-ID] MESSAGE  gives a message to a session; a paused one goes on
  pause [SESSION-ID]         cancels active work and holds waiting input
  attach [SESSION-ID] [--read-only | --take-over]
                             opens a terminal on a session; --read-only only looks on, --take-over detaches all others
  detach [SESSION-ID]        detaches every terminal; the session goes on
  kill [SESSION-ID]          asks a session to end: its turn and jobs are cancelled, waiting input is kept

Exit status: 0 done, 1 it could not be done, 64 the request was refused.
`;

type Host = RunningHost;
type Chosen = Reachable<Host>;

type Verb = {
  readonly options: OptionTable;
  /** Most positional arguments behind the verb. */
  readonly positionals: number;
  readonly run: (parsed: ParsedCommand, words: readonly string[]) => Promise<number>;
};

const verbs: Readonly<Record<string, Verb>> = {
  status: {
    options: { sexp: { value: false } },
    positionals: 0,
    run: (parsed) => status(parsed.options.has("sexp")),
  },
  tell: { options: {}, positionals: 2, run: (_, words) => tell(words) },
  pause: { options: {}, positionals: 1, run: (_, words) => onChosen(words[0], pause) },
  attach: {
    options: { "read-only": { value: false }, "take-over": { value: false } },
    positionals: 1,
    run: attach,
  },
  detach: { options: {}, positionals: 1, run: (_, words) => onChosen(words[0], detach) },
  kill: { options: {}, positionals: 1, run: (_, words) => onChosen(words[0], kill) },
};

/** Resolves to the exit status. Throws UsageError for arguments that are refused. */
export async function localgroupCommand(argv: readonly string[]): Promise<number> {
  const name = argv.find((argument) => !argument.startsWith("-"));
  const verb = name !== undefined && Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (name !== undefined && verb === undefined)
    throw new UsageError(
      `autolith lg has no command ${JSON.stringify(name)}; it has ${Object.keys(verbs).join(", ")}.`,
    );
  const parsed = parseArguments(argv, verb?.options ?? {});
  if (parsed.help) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  if (verb === undefined)
    throw new UsageError(`autolith lg needs a command: ${Object.keys(verbs).join(", ")}.`);
  const words = parsed.positionals.slice(1);
  const extra = words[verb.positionals];
  if (extra !== undefined)
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(extra)}. autolith lg --help says what ${name} takes.`,
    );
  try {
    return await verb.run(parsed, words);
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof AutolithError)) throw error;
    process.stderr.write(`autolith lg: ${error.message}\n`);
    return exitStatus.failed;
  }
}

/** Lends the running hosts and their sessions; links are closed afterwards. */
async function withSessions<Result>(
  work: (reachable: readonly Chosen[]) => Promise<Result>,
): Promise<Result> {
  const hosts = await runningHosts(process.env, "lg");
  try {
    return await work(await sessionsOf(hosts));
  } finally {
    for (const { link } of hosts) link.close();
  }
}

/** All sessions, oldest first. */
async function sessionsOf(hosts: readonly Host[]): Promise<readonly Chosen[]> {
  const lists = await Promise.all(
    hosts.map(async (host) => {
      try {
        const { sessions } = await host.link.request("sessions", {});
        return sessions.map((session) => ({ session, host }));
      } catch (error) {
        if (!host.isOtherBuild) throw error;
        process.stderr.write(
          `autolith lg: the session host of process ${host.processId} is of another build and cannot be asked for its sessions; use the autolith it was started with.\n`,
        );
        return [];
      }
    }),
  );
  return lists.flat().toSorted((one, other) => one.session.createdAt - other.session.createdAt);
}

function onChosen(wanted: string | undefined, act: (chosen: Chosen) => Promise<string>): Promise<number> {
  return withSessions(async (reachable) => {
    process.stdout.write(`${await act(selectSession(reachable, wanted))}\n`);
    return exitStatus.ok;
  });
}

function status(isSexp: boolean): Promise<number> {
  return withSessions((reachable) => {
    const rows = reachable.map(({ session, host: { hostId, processId, launch } }) => ({
      session,
      hostId,
      processId,
      launch,
    }));
    process.stdout.write(isSexp ? statusSexp(rows) : statusText(rows));
    return Promise.resolve(exitStatus.ok);
  });
}

/** One word is the message, two are a session and the message. */
function tell(words: readonly string[]): Promise<number> {
  const message = words.at(-1);
  if (message === undefined || message.trim() === "")
    throw new UsageError('autolith lg tell needs a message: autolith lg tell [SESSION-ID] "MESSAGE".');
  return onChosen(words.length === 2 ? words[0] : undefined, async ({ session, host }) => {
    const { sessionId } = session;
    const input = { parts: [{ type: "text" as const, text: message }] };
    const answer = await host.link.request("submit", { sessionId, input, as: "steer" });
    const how =
      answer.kind === "admitted" && session.status === "running" ? " (steering the running turn)" : "";
    return `Told ${conversationName(sessionId)}${how}.`;
  });
}

function stoppedText(stopped: boolean, forms: number): string {
  if (forms > 0)
    return `${forms} cancelled ${forms === 1 ? "form has" : "forms have"} not stopped yet: what does not end within ${replLimits.cancelGraceMs / 1_000} s is ended with its image`;
  return stopped ? "what ran was stopped" : "nothing ran";
}

async function pause({ session, host }: Chosen): Promise<string> {
  const { sessionId } = session;
  const { stopped, liveJobs: jobs, runningForms: forms } = await host.link.request("pause", { sessionId });
  return [
    `Paused ${conversationName(sessionId)}; ${stoppedText(stopped, forms)}.`,
    ...(jobs === 0 ? [] : [`${jobs} ${jobs === 1 ? "job goes" : "jobs go"} on.`]),
    "Nothing begins by itself until it is given input.",
  ].join(" ");
}

async function detach({ session, host }: Chosen): Promise<string> {
  const { sessionId } = session;
  const { detached } = await host.link.request("detach", { sessionId, clients: "all" });
  return `Detached ${detached} ${detached === 1 ? "client" : "clients"} from ${conversationName(sessionId)}; it goes on.`;
}

async function kill({ session, host }: Chosen): Promise<string> {
  const { sessionId } = session;
  await host.link.request("kill", { sessionId });
  return `Ended ${conversationName(sessionId)}. autolith resume ${conversationName(sessionId)} opens it again.`;
}

async function attach(parsed: ParsedCommand, words: readonly string[]): Promise<number> {
  const [isReadOnly, takeOver] = [parsed.options.has("read-only"), parsed.options.has("take-over")];
  if (isReadOnly && takeOver) throw new UsageError("--read-only and --take-over exclude each other.");
  const { requireTerminal, showTerminal } = await import("../terminal/terminal-command.ts");
  requireTerminal();
  const hosts = await runningHosts(process.env, "terminal");
  const { session, host } = await chosenOf(hosts, words[0]);
  if (host.isOtherBuild) {
    host.link.close();
    throw otherBuild(session.sessionId, host.processId);
  }
  const later = sharedHost(process.env, host.launch ?? hostLaunch(parsed.session, process.env));
  let isFirst = true;
  return showTerminal({
    // The host that has the session; when that dies, the shared one of its launch takes the conversation up again.
    connect: () => {
      if (!isFirst) return later();
      isFirst = false;
      return Promise.resolve(host.link);
    },
    opening: { kind: "join", sessionId: session.sessionId },
    session: parsed.session,
    isReadOnly,
    takeOver,
  });
}

function otherBuild(sessionId: string, processId: number): AutolithError {
  const name = conversationName(sessionId);
  return new AutolithError(
    "other-build",
    `${name} is open in a session host of another build (process ${processId}); a terminal of this one cannot show it. Attach with the autolith it was started with, or end it by autolith lg kill ${name} and open it here by autolith resume ${name}.`,
  );
}

/** The chosen session; the links of all other hosts are closed. */
async function chosenOf(hosts: readonly Host[], wanted: string | undefined): Promise<Chosen> {
  try {
    const chosen = selectSession(await sessionsOf(hosts), wanted);
    for (const each of hosts) if (each !== chosen.host) each.link.close();
    return chosen;
  } catch (error) {
    for (const each of hosts) each.link.close();
    throw error;
  }
}
