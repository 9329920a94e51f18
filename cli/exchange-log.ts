/** The cassette of a run: recording what models answer, or answering from a recording (design.md section 8). */
import type { AgentEvent, ReplayReply, ReplayRequest } from "../orchestrator/contract/agent-thread.ts";
import type { CassettePlayer } from "../orchestrator/cassette/cassette-player.ts";
import { openCassette, recordCassette } from "../orchestrator/cassette/cassette-file.ts";
import { AutolithError } from "../orchestrator/contract/failure.ts";
import { secretValues } from "../orchestrator/secrets/secret-removal.ts";
import type { Environment } from "./machine.ts";

export type ExchangeLog = {
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  /** Takes every event of every agent. */
  observe(event: AgentEvent): void;
  /** Publishes a recording; tells how a replay differed. */
  close(): Promise<void>;
};

export type ExchangeLogOptions = {
  readonly environment: Environment;
  readonly record: string | undefined;
  readonly replay: string | undefined;
  readonly diagnostics: (line: string) => void;
};

/** Opens the cassette that the options name. Rejects with cassette codes when it cannot be read or written. */
export async function openExchangeLog(options: ExchangeLogOptions): Promise<ExchangeLog> {
  const secrets = secretValues(options.environment);
  if (options.replay !== undefined) return replaying(options.replay, secrets, options.diagnostics);
  if (options.record !== undefined) return recording(options.record, secrets);
  return {
    replay: () => Promise.reject(noCassette()),
    observe: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** One line: how often which part of a request differed from the recording without mattering for the replay. */
function differenceSummary(player: CassettePlayer): string {
  const counts = new Map<string, number>();
  for (const { part } of player.reported) counts.set(part, (counts.get(part) ?? 0) + 1);
  const parts = [...counts].map(([part, count]) => `${part} ${count}`).join(", ");
  return `replay: followed the recording. What names the directory, times and ids reads differently, as in every new run (${parts}).`;
}

function noCassette(): AutolithError {
  return new AutolithError("cassette-missing", "A replay was asked for in a run without --replay.");
}

async function replaying(
  path: string,
  secrets: readonly string[],
  diagnostics: (line: string) => void,
): Promise<ExchangeLog> {
  const player = await openCassette(path, secrets);
  return {
    replay: (request) => Promise.resolve(player.answer(request)),
    observe: () => undefined,
    close: async () => {
      if (player.differenceCount > 0) diagnostics(differenceSummary(player));
    },
  };
}

async function recording(path: string, secrets: readonly string[]): Promise<ExchangeLog> {
  const cassette = await recordCassette(path, secrets);
  return {
    replay: () => Promise.reject(noCassette()),
    observe: (event) => {
      if (event.event === "exchange") cassette.record(event);
    },
    close: () => cassette.publish(),
  };
}
