import {
  codePointCount,
  describeForm,
  isInteger,
  keyword,
  listElements,
  type DataForm,
} from "../../../lisp/data-forms/index.ts";
import { eventCategories } from "../categories.ts";
import {
  eventFields,
  eventLimits,
  eventStatuses,
  runStatuses,
  warningCodes,
  type EventField,
  type EventKind,
  type EventPayload,
} from "./event-vocabulary.ts";
import { RunJobEventError } from "./run-job-event-error.ts";

/** The value of a field as a form, or as the payload has it. */
type FieldCodec = {
  readonly toForm: (value: unknown) => DataForm;
  readonly fromForm: (form: DataForm) => unknown;
};

/**
 * The `:data` form of a payload.
 * @throws RunJobEventError `invalid-event` for a value outside the rules of its field or kind.
 */
export function payloadForm(payload: EventPayload): DataForm {
  const fields: readonly EventField[] = eventFields[payload.kind];
  const data = payload.data as Readonly<Record<string, unknown>>;
  const stray = Object.keys(data).find((key) => !fields.some((field) => field === key));
  if (stray !== undefined) throw new RunJobEventError(`:${payload.kind} has no key :${stray}`);
  const present = fields.filter((field) => data[field] !== undefined);
  const form = present.flatMap((field) => [
    keyword(field),
    inField(field, () => codecs[field].toForm(data[field])),
  ]);
  checkKind(payload.kind, data);
  return form.length === 0 ? false : form;
}

/**
 * The payload that a record's kind and `:data` form stand for.
 * @throws RunJobEventError as {@link payloadForm}.
 */
export function payloadOf(kind: EventKind, form: DataForm): EventPayload {
  const list = listElements(form);
  if (list === undefined)
    throw new RunJobEventError(`:data must be a property list, got ${describeForm(form)}`);
  const fields: readonly EventField[] = eventFields[kind];
  const data: Record<string, unknown> = {};
  for (let index = 0; index < list.length; index += 2) {
    const key = list[index] as DataForm;
    const value = list[index + 1];
    const field = fields.find((candidate) => keyword(candidate) === key);
    if (field === undefined) throw new RunJobEventError(`:${kind} has no key like ${describeForm(key)}`);
    if (value === undefined) throw new RunJobEventError(`the key :${field} has no value`);
    if (field in data) throw new RunJobEventError(`the key :${field} occurs twice`);
    data[field] = inField(field, () => codecs[field].fromForm(value));
  }
  checkKind(kind, data);
  return { kind, data };
}

/** The rules that concern several fields of one kind. */
function checkKind(kind: EventKind, data: Readonly<Record<string, unknown>>): void {
  if (kind !== "run-finished") return;
  const status = runStatuses.find((candidate) => candidate === data["status"]);
  const published = data["published-p"];
  if (status === undefined) {
    throw new RunJobEventError(`:run-finished needs a :status among ${listed(runStatuses)}`);
  }
  if (typeof published !== "boolean") throw new RunJobEventError(":run-finished needs :published-p");
  const reference = data["output"] ?? data["output-path"] ?? data["result-uri"];
  if (published && reference === undefined) {
    throw new RunJobEventError(
      ":run-finished with :published-p T needs :output, :output-path or :result-uri",
    );
  }
  if (status === "succeeded" && !published) {
    throw new RunJobEventError(":run-finished with :status :succeeded needs :published-p T");
  }
}

function inField<Result>(field: EventField, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof RunJobEventError) throw new RunJobEventError(`:${field} ${error.message}`);
    throw error;
  }
}

const text: FieldCodec = { toForm: checkString, fromForm: checkString };
const count: FieldCodec = { toForm: checkInteger, fromForm: checkInteger };
const truth: FieldCodec = { toForm: checkBoolean, fromForm: checkBoolean };
const texts: FieldCodec = {
  toForm: (value) => stringList(Array.isArray(value) ? value : undefined),
  fromForm: (form) => stringList(listElements(form)),
};

const codecs: Readonly<Record<EventField, FieldCodec>> = {
  "job-id": text,
  "execution-id": text,
  "call-id": text,
  "tool-name": text,
  status: word(eventStatuses),
  category: word(eventCategories),
  code: word(warningCodes),
  count,
  "input-tokens": count,
  "output-tokens": count,
  "total-tokens": count,
  "provider-requests": count,
  output: text,
  "output-path": text,
  "result-uri": text,
  "resource-uris": texts,
  "published-p": truth,
};

function word(names: readonly string[]): FieldCodec {
  return {
    toForm: (value) => {
      const name = names.find((candidate) => candidate === value);
      if (name === undefined) throw new RunJobEventError(`must be one of ${listed(names)}`);
      return keyword(name);
    },
    fromForm: (form) => {
      const name = names.find((candidate) => keyword(candidate) === form);
      if (name === undefined)
        throw new RunJobEventError(`must be one of ${listed(names)}, got ${describeForm(form)}`);
      return name;
    },
  };
}

function checkString(value: unknown): string {
  const { maxStringCharacters } = eventLimits;
  if (typeof value !== "string" || value === "") throw new RunJobEventError("must be a non-empty string");
  const characters = codePointCount(value);
  if (characters > maxStringCharacters) {
    throw new RunJobEventError(`must have at most ${maxStringCharacters} characters, got ${characters}`);
  }
  return value;
}

function checkInteger(value: unknown): number | bigint {
  const form = value as DataForm;
  const whole = isInteger(form) && (typeof form === "bigint" || Number.isSafeInteger(form));
  if (!whole || form < 0 || form > eventLimits.maxInteger) {
    throw new RunJobEventError("must be an integer from 0 to 2^63-1");
  }
  return form;
}

function checkBoolean(value: unknown): boolean {
  if (typeof value !== "boolean") throw new RunJobEventError("must be T or NIL");
  return value;
}

/** The node bound of a record leaves room for about this many strings; the byte bound is checked on the whole record. */
function stringList(values: readonly unknown[] | undefined): readonly string[] {
  if (values === undefined) throw new RunJobEventError("must be a list of strings");
  return values.map(checkString);
}

function listed(names: readonly string[]): string {
  return names.map((name) => `:${name}`).join(", ");
}
