import {
  DataFormError,
  readDataFormStream,
  type DataForm,
  type DataInput,
  type StreamReadOptions,
} from "../../../lisp/data-forms/index.ts";
import { eventRecordOf, type UnknownEventRecord } from "./event-text.ts";
import { eventLimits, type EventRecord } from "./event-vocabulary.ts";
import { RunJobEventError } from "./run-job-event-error.ts";

const reading: StreamReadOptions = {
  limits: {
    maxBytes: eventLimits.maxRecordBytes,
    maxDepth: eventLimits.maxDepth,
    maxNodes: eventLimits.maxNodes,
    maxStringCharacters: eventLimits.maxStringCharacters,
  },
  lineComments: false,
};

/**
 * Reads the events of a run, one validated record at a time, from UTF-8 bytes or text split anywhere; ends at the clean
 * end of the stream. This is `run-job-event-read-stream` of the manual: `await events.next()` gives one record, and
 * `done` where Lisp gives NIL. Records of unknown kinds come as `kind: "unknown"`: ignore them.
 * @throws RunJobEventError for a record that breaks a rule, an incomplete record at the end, another run's record, or
 *   a sequence number that does not increase, naming the record or the line. Nothing can be read after that.
 */
export async function* readRunJobEvents(
  source: AsyncIterable<DataInput> | Iterable<DataInput>,
): AsyncGenerator<EventRecord | UnknownEventRecord, void, undefined> {
  let previous: EventRecord | UnknownEventRecord | undefined;
  let number = 0;
  try {
    for await (const form of readDataFormStream(source, reading)) {
      number += 1;
      const record = numberedRecord(form, number, previous);
      previous = record;
      yield record;
    }
  } catch (error) {
    if (error instanceof DataFormError) throw new RunJobEventError(error.message, { cause: error });
    throw error;
  }
}

/** The record that stands at this place of the stream; refusals name the place. */
function numberedRecord(
  form: DataForm,
  number: number,
  previous: EventRecord | UnknownEventRecord | undefined,
): EventRecord | UnknownEventRecord {
  try {
    const record = eventRecordOf(form);
    checkSequence(previous, record);
    return record;
  } catch (error) {
    if (!(error instanceof RunJobEventError)) throw error;
    throw new RunJobEventError(`record ${number} of the stream: ${error.message}`, { cause: error });
  }
}

function checkSequence(
  previous: EventRecord | UnknownEventRecord | undefined,
  record: EventRecord | UnknownEventRecord,
): void {
  if (previous === undefined) return;
  if (record.runId !== previous.runId) {
    throw new RunJobEventError(`a record of run ${record.runId} follows one of run ${previous.runId}`);
  }
  if (record.seq <= previous.seq) {
    throw new RunJobEventError(`sequence number ${record.seq} follows ${previous.seq}: it must increase`);
  }
}
