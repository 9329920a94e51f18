import { readFile, stat } from "node:fs/promises";
import { publicationProblem, publishFile } from "../record/publication.ts";
import { CassettePlayer } from "./cassette-player.ts";
import { CassetteError, cassetteByteLimit, parseCassette } from "./cassette-format.ts";
import { CassetteRecorder } from "./cassette-recorder.ts";
import type { FullExchange } from "./cassette-format.ts";

/**
 * Opens a cassette for replay.
 *
 * @throws CassetteError `cassette-unreadable` or `cassette-malformed`.
 */
export async function openCassette(path: string, secrets: readonly string[]): Promise<CassettePlayer> {
  return new CassettePlayer(parseCassette(await cassetteText(path)), secrets);
}

async function cassetteText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > cassetteByteLimit) {
      const message = `The cassette ${path} holds ${size} bytes; at most ${cassetteByteLimit} are read.`;
      throw new CassetteError("cassette-unreadable", message);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof CassetteError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CassetteError("cassette-unreadable", `The cassette cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

/** A cassette that is being recorded. */
export interface RecordingCassette {
  /** Keeps an exchange; nothing is written yet. */
  record(exchange: FullExchange): void;
  /** Puts the whole cassette in place, or nothing at all. Rejects with CassetteError `cassette-unwritable`. */
  publish(): Promise<void>;
}

/**
 * Begins a recording for `path`. An empty cassette is put there at once, so that a path that cannot be written is
 * refused before any work is done.
 */
export async function recordCassette(path: string, secrets: readonly string[]): Promise<RecordingCassette> {
  const recorder = new CassetteRecorder(secrets);
  const publish = async (): Promise<void> => {
    try {
      await publishFile(path, recorder.text());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `The cassette ${path} cannot be written: ${reason}`;
      throw new CassetteError("cassette-unwritable", message, { cause: error });
    }
  };
  const problem = await publicationProblem(path, 0o700);
  if (problem !== undefined)
    throw new CassetteError("cassette-unwritable", `The cassette ${path} cannot be written: ${problem}`);
  await publish();
  return { record: (exchange) => recorder.record(exchange), publish };
}
