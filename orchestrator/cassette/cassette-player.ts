import type { ExchangeKey, ReplayReply, ReplayRequest } from "../contract/agent-thread.ts";
import { boundedMessage } from "../contract/failure.ts";
import { secretRemover, type SecretRemover } from "../secrets/secret-removal.ts";
import { seriesOf, type FullExchange } from "./cassette-format.ts";
import { compareRequests, type Difference } from "./exchange-comparison.ts";

/** A difference that did not stop the replay, and where it was met. */
export interface ReportedDifference extends Difference {
  readonly key: ExchangeKey;
}

/** Differences kept for the report; further ones are only counted. */
export const reportedDifferenceLimit = 100;

/** Answers requests from a cassette. */
export class CassettePlayer {
  readonly #exchanges = new Map<string, FullExchange>();
  readonly #seriesLengths = new Map<string, number>();
  readonly #remove: SecretRemover;
  readonly #used = new Set<string>();
  readonly #reported: ReportedDifference[] = [];
  #differenceCount = 0;

  /** @param secrets values that must not show in reports. */
  constructor(exchanges: readonly FullExchange[], secrets: readonly string[] = []) {
    this.#remove = secretRemover(secrets);
    for (const exchange of exchanges) {
      this.#exchanges.set(nameOf(exchange.key), exchange);
      const series = seriesOf(exchange.key);
      this.#seriesLengths.set(series, Math.max(this.#seriesLengths.get(series) ?? 0, exchange.key.ordinal));
    }
  }

  /** Differences that were only reported, at most {@link reportedDifferenceLimit}. */
  get reported(): readonly ReportedDifference[] {
    return this.#reported;
  }

  /** All differences that were only reported, those beyond the limit included. */
  get differenceCount(): number {
    return this.#differenceCount;
  }

  /** Keys of exchanges that nobody has asked for. */
  get unused(): readonly ExchangeKey[] {
    return [...this.#exchanges.values()].map(({ key }) => key).filter((key) => !this.#used.has(nameOf(key)));
  }

  /** The recorded answer, or a failure of code `replay-divergence` that names the turn and the difference. */
  answer({ key, request }: ReplayRequest): ReplayReply {
    const exchange = this.#exchanges.get(nameOf(key));
    if (exchange === undefined) return this.#divergence(key, this.#missing(key));
    const { fatal, reported } = compareRequests(request, exchange.request);
    if (fatal !== undefined) return this.#divergence(key, fatal.text);
    this.#used.add(nameOf(key));
    for (const difference of reported) this.#report({ key, ...difference });
    return { outcome: "response", response: exchange.response };
  }

  #missing(key: ExchangeKey): string {
    const length = this.#seriesLengths.get(seriesOf(key)) ?? 0;
    return length === 0
      ? "the cassette holds nothing for this agent and purpose"
      : `the cassette holds ${length} turns for it, and a further one was asked for`;
  }

  #report(difference: ReportedDifference): void {
    this.#differenceCount += 1;
    if (this.#reported.length >= reportedDifferenceLimit) return;
    this.#reported.push({ ...difference, text: this.#remove(difference.text) });
  }

  #divergence(key: ExchangeKey, difference: string): ReplayReply {
    const place = `turn ${key.ordinal} of agent ${key.lineage} (purpose ${key.purpose})`;
    const message = boundedMessage(
      `Replay differs at ${place}: ${this.#remove(difference)}. No provider was asked: the run is not the recorded one; record it anew.`,
    );
    return { outcome: "failure", failure: { code: "replay-divergence", message, outputReceived: false } };
  }
}

function nameOf(key: ExchangeKey): string {
  return JSON.stringify([key.lineage, key.purpose, key.ordinal]);
}
