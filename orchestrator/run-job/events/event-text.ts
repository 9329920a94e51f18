import {
  PlistReader,
  DataFormError,
  Keyword,
  describeForm,
  keyword,
  listElements,
  printDataForm,
  type DataForm,
} from "../../../lisp/data-forms/index.ts";
import { payloadForm, payloadOf } from "./event-validation.ts";
import {
  eventKinds,
  eventLimits,
  type EventEnvelope,
  type EventPayload,
  type EventRecord,
} from "./event-vocabulary.ts";
import { RunJobEventError } from "./run-job-event-error.ts";

/** A record of a kind that this version does not know: its name in lower case and its unchecked data. */
export interface UnknownEventRecord extends EventEnvelope {
  readonly kind: "unknown";
  readonly name: string;
  readonly data: DataForm;
}

const head = keyword("autolith-event");
const envelopeKeys = ["version", "run-id", "seq", "time", "kind", "data"];
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/**
 * One record as a line with its newline.
 * @throws RunJobEventError `invalid-event` when the payload breaks a rule or the record its bounds.
 */
export function eventText(envelope: EventEnvelope, payload: EventPayload): string {
  const form: DataForm = [
    head,
    ...[keyword("version"), 1, keyword("run-id"), envelope.runId, keyword("seq"), envelope.seq],
    ...[keyword("time"), envelope.time, keyword("kind"), keyword(payload.kind)],
    ...[keyword("data"), payloadForm(payload)],
  ];
  const nodes = countNodes(form);
  if (nodes > eventLimits.maxNodes) {
    throw new RunJobEventError(
      `the record has ${nodes} atoms and lists, the limit is ${eventLimits.maxNodes}`,
    );
  }
  const text = `${printDataForm(form)}\n`;
  const size = Buffer.byteLength(text);
  if (size <= eventLimits.maxRecordBytes) return text;
  throw new RunJobEventError(`the record has ${size} bytes, the limit is ${eventLimits.maxRecordBytes}`);
}

/**
 * The record that a form stands for. Kinds that are not known come back as `unknown` with their data unchecked, so that
 * a consumer survives a later version's kinds.
 * @throws RunJobEventError when the envelope or the data of a known kind breaks a rule.
 */
export function eventRecordOf(form: DataForm): EventRecord | UnknownEventRecord {
  const list = listElements(form) ?? [];
  if (list[0] !== head)
    throw new RunJobEventError(
      `a list with the head :autolith-event was expected, got ${describeForm(form)}`,
    );
  try {
    const record = new PlistReader(list, 1, { what: "an event", keys: envelopeKeys });
    record.integer("version", { minimum: 1, maximum: 1 });
    const envelope = readEnvelope(record);
    const kind = record.requiredForm("kind");
    const data = record.requiredForm("data");
    if (!(kind instanceof Keyword))
      throw record.invalidValue("kind", `must be a keyword, got ${describeForm(kind)}`);
    const known = eventKinds.find((candidate) => keyword(candidate) === kind);
    if (known !== undefined) return { ...envelope, ...payloadOf(known, data) };
    return { ...envelope, kind: "unknown", name: kind.name.toLowerCase(), data };
  } catch (error) {
    if (error instanceof DataFormError) throw new RunJobEventError(error.message, { cause: error });
    throw error;
  }
}

function readEnvelope(record: PlistReader): EventEnvelope {
  const { maxStringCharacters: maxCharacters } = eventLimits;
  const time = record.string("time", { maxCharacters });
  if (!timePattern.test(time)) throw record.invalidValue("time", "must be YYYY-MM-DDTHH:MM:SSZ");
  return {
    runId: record.string("run-id", { minCharacters: 1, maxCharacters }),
    seq: record.integer("seq", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    time,
  };
}

function countNodes(form: DataForm): number {
  const elements = form === false ? [] : (listElements(form) ?? []);
  return elements.reduce<number>((count, element) => count + countNodes(element), 1);
}
