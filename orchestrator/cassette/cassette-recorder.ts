import { removeSecrets, secretRemover, type SecretRemover } from "../secrets/secret-removal.ts";
import {
  cassetteHeadLine,
  exchangeLine,
  recordedExchange,
  seriesOf,
  type FullExchange,
} from "./cassette-format.ts";

/** The turns of one lineage and purpose: finished lines, and what the next line is compared with. */
interface Series {
  readonly lines: Map<number, string>;
  latest: FullExchange;
  beforeLatest: FullExchange | undefined;
}

/**
 * Turns exchanges into the lines of a cassette, without secrets. A request that is asked again because its answer was
 * lost with a thread stands in the cassette once: the later answer is the one that was acted on.
 */
export class CassetteRecorder {
  readonly #remove: SecretRemover;
  readonly #series = new Map<string, Series>();

  /** @param secrets values to be removed besides those of a known shape. */
  constructor(secrets: readonly string[]) {
    this.#remove = secretRemover(secrets);
  }

  /** Adds an exchange; those of one series come in the order of their turns. */
  record(exchange: FullExchange): void {
    const name = seriesOf(exchange.key);
    const series = this.#series.get(name);
    const isAskedAgain = series?.latest.key.ordinal === exchange.key.ordinal;
    const before = isAskedAgain ? series?.beforeLatest : series?.latest;
    const line = exchangeLine(removeSecrets(recordedExchange(exchange, before), this.#remove));
    const lines = series?.lines ?? new Map<number, string>();
    lines.set(exchange.key.ordinal, line);
    this.#series.set(name, { lines, latest: exchange, beforeLatest: before });
  }

  /** The whole cassette as text: series by name, each in the order of its turns. */
  text(): string {
    const names = [...this.#series.keys()].toSorted();
    const lines = names.flatMap((name) => [...(this.#series.get(name)?.lines.values() ?? [])]);
    return cassetteHeadLine() + lines.join("");
  }
}
