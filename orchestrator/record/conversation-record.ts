import {
  type DataForm,
  type DataList,
  type JsonValue,
  type Keyword,
  formToJson,
  jsonToForm,
  keyword,
  listElements,
} from "../../lisp/data-forms/index.ts";
import {
  type AssistantItem,
  type ModelImage,
  type ToolResultItem,
  type WireItem,
  modelImageSchema,
} from "../contract/model.ts";
import { RecordFields } from "./record-fields.ts";

/** A message of role user: what a person, a parent agent or the host said. */
export interface MessageRecord {
  readonly kind: "message";
  readonly content: string;
  /** True when nobody typed it: completions, wakeups, repairs. */
  readonly automatic?: true;
  /** Receipt of the queued input that this message delivers. */
  readonly pendingInputIdentifier?: string;
  /** Receipt of the job completion that this message delivers: `completion:<execution id>`. */
  readonly jobCompletion?: string;
  /** Images that came with the text. */
  readonly images?: readonly ModelImage[];
}

/** One item of a model's response. */
export interface ProviderItemRecord {
  readonly kind: "provider-item";
  readonly item: AssistantItem;
}

/** The one result of a tool call. */
export interface ToolResultRecord {
  readonly kind: "tool-result";
  readonly callId: string;
  readonly tool: string;
  readonly status: ToolResultItem["status"];
  readonly output: string;
  readonly realMicroseconds?: number;
  readonly details?: JsonValue;
}

/** What a provider said about one request: usage, response id, retries. */
export interface ProviderMetadataRecord {
  readonly kind: "provider";
  readonly metadata: JsonValue;
}

/** The model and effort that answer from here on. */
export interface ConfigurationRecord {
  readonly kind: "configuration";
  readonly model: string;
  readonly reasoningEffort: string;
}

/** Replaces every record up to and including `throughSeq` in what the model is sent. */
export interface SummaryRecord {
  readonly kind: "summary";
  readonly throughSeq: number;
  readonly content: string;
}

/** A record of a kind that another part defines (goals, titles, inspector calls…): kept and handed on as it is. */
export interface ExtensionRecord {
  readonly kind: "extension";
  /** The record's kind without its colon, in lower case; none of the kinds above. */
  readonly name: string;
  /** A property list with keyword keys, neither `:seq` nor `:time` among them. */
  readonly fields: DataList;
}

/** One record of a conversation (facts I). */
export type ConversationRecord =
  | MessageRecord
  | ProviderItemRecord
  | ToolResultRecord
  | ProviderMetadataRecord
  | ConfigurationRecord
  | SummaryRecord
  | ExtensionRecord;

/** A record as it stands in the conversation. */
export interface StoredRecord {
  readonly seq: number;
  /** Epoch milliseconds, whole seconds. */
  readonly at: number;
  readonly record: ConversationRecord;
  /** True when its text had to be repaired to be valid Unicode without NULs. */
  readonly repaired?: true;
}

type Field = readonly [key: Keyword, value: DataForm | undefined];

const key = {
  seq: keyword("seq"),
  time: keyword("time"),
  role: keyword("role"),
  user: keyword("user"),
  content: keyword("content"),
  automatic: keyword("automatic-p"),
  pendingInputIdentifier: keyword("pending-input-identifier"),
  jobCompletion: keyword("job-completion"),
  images: keyword("images"),
  type: keyword("type"),
  text: keyword("text"),
  refusal: keyword("refusal-p"),
  callId: keyword("call-id"),
  tool: keyword("tool"),
  arguments: keyword("arguments"),
  provider: keyword("provider"),
  wire: keyword("wire"),
  wireJson: keyword("wire-json"),
  status: keyword("status"),
  output: keyword("output"),
  realMicroseconds: keyword("real-microseconds"),
  details: keyword("details"),
  metadata: keyword("metadata"),
  model: keyword("model"),
  reasoningEffort: keyword("reasoning-effort"),
  throughSeq: keyword("through-seq"),
};

/** Seconds from the start of universal time (1900) to the epoch (1970). */
const universalOffset = 2_208_988_800;

/** Universal time, which records carry, of an instant in epoch milliseconds. */
export function universalTime(at: number): number {
  return Math.floor(at / 1000) + universalOffset;
}

/** Epoch milliseconds of a universal time. */
export function instantOf(universal: number): number {
  return (universal - universalOffset) * 1000;
}

/** The form of a record: `(KIND :seq N :time UNIVERSAL …)`. */
export function recordToForm(record: ConversationRecord, seq: number, at: number): DataForm {
  const stamp = [key.seq, seq, key.time, universalTime(at)];
  if (record.kind === "extension") return [keyword(record.name), ...stamp, ...record.fields];
  return [keyword(record.kind), ...stamp, ...fieldsOf(record).flatMap(presentField)];
}

function presentField([name, value]: Field): DataForm[] {
  return value === undefined ? [] : [name, value];
}

function fieldsOf(record: Exclude<ConversationRecord, ExtensionRecord>): readonly Field[] {
  switch (record.kind) {
    case "message":
      return [
        [key.role, key.user],
        [key.content, record.content],
        [key.automatic, record.automatic],
        [key.pendingInputIdentifier, record.pendingInputIdentifier],
        [key.jobCompletion, record.jobCompletion],
        [key.images, record.images?.map(({ mimeType, data }): DataForm => [mimeType, data])],
      ];
    case "provider-item":
      return itemFields(record.item);
    case "tool-result":
      return [
        [key.callId, record.callId],
        [key.tool, record.tool],
        [key.status, keyword(record.status)],
        [key.output, record.output],
        [key.realMicroseconds, record.realMicroseconds],
        [key.details, record.details === undefined ? undefined : jsonToForm(record.details)],
      ];
    case "provider":
      return [[key.metadata, jsonToForm(record.metadata)]];
    case "configuration":
      return [
        [key.model, record.model],
        [key.reasoningEffort, record.reasoningEffort],
      ];
    case "summary":
      return [
        [key.throughSeq, record.throughSeq],
        [key.content, record.content],
      ];
  }
}

function itemFields(item: AssistantItem): readonly Field[] {
  const { source } = item;
  const wireFields: readonly Field[] =
    source === undefined
      ? []
      : [
          [key.provider, source.provider],
          [key.wire, keyword(source.wire)],
          [key.wireJson, source.json],
        ];
  const type: Field = [key.type, keyword(item.type)];
  switch (item.type) {
    case "assistant-message":
      return [type, [key.text, item.text], [key.refusal, item.refusal], ...wireFields];
    case "reasoning":
      return [type, [key.text, item.text], ...wireFields];
    case "tool-call":
      return [
        type,
        [key.callId, item.callId],
        [key.tool, item.tool],
        [key.arguments, item.arguments],
        ...wireFields,
      ];
  }
}

/** The record that a form holds. @throws DataFormError `invalid-structure` or `invalid-value`. */
export function formToRecord(form: DataForm): StoredRecord {
  const fields = new RecordFields(form);
  const { kind } = fields;
  const seq = fields.integer(key.seq);
  const at = instantOf(fields.integer(key.time));
  const record = readRecord(kind, fields);
  return fields.repaired ? { seq, at, record, repaired: true } : { seq, at, record };
}

function readRecord(kind: string, fields: RecordFields): ConversationRecord {
  switch (kind) {
    case "MESSAGE":
      return readMessage(fields);
    case "PROVIDER-ITEM":
      return { kind: "provider-item", item: readItem(fields) };
    case "TOOL-RESULT":
      return readToolResult(fields);
    case "PROVIDER":
      return { kind: "provider", metadata: formToJson(fields.form(key.metadata)) };
    case "CONFIGURATION":
      return {
        kind: "configuration",
        model: fields.text(key.model),
        reasoningEffort: fields.text(key.reasoningEffort),
      };
    case "SUMMARY":
      return {
        kind: "summary",
        throughSeq: fields.integer(key.throughSeq),
        content: fields.text(key.content),
      };
    default:
      return { kind: "extension", name: kind.toLowerCase(), fields: fields.rest([key.seq, key.time]) };
  }
}

function readMessage(fields: RecordFields): MessageRecord {
  const pendingInputIdentifier = fields.optionalText(key.pendingInputIdentifier);
  const jobCompletion = fields.optionalText(key.jobCompletion);
  const images = readImages(fields);
  return {
    kind: "message",
    content: fields.text(key.content),
    ...(fields.optional(key.automatic) === true ? { automatic: true } : {}),
    ...(pendingInputIdentifier === undefined ? {} : { pendingInputIdentifier }),
    ...(jobCompletion === undefined ? {} : { jobCompletion }),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Images whose type is not known are left out: no model could be sent them. */
function readImages(fields: RecordFields): readonly ModelImage[] {
  const form = fields.optional(key.images);
  return (form === undefined ? [] : (listElements(form) ?? [])).flatMap((entry) => {
    const [mimeType, data] = listElements(entry) ?? [];
    const image = modelImageSchema.safeParse({ mimeType, data });
    return image.success ? [image.data] : [];
  });
}

function readItem(fields: RecordFields): AssistantItem {
  const source = readSource(fields);
  const type = fields.word(key.type, ["assistant-message", "reasoning", "tool-call"]);
  switch (type) {
    case "assistant-message": {
      const refusal = fields.optional(key.refusal) === true ? ({ refusal: true } as const) : {};
      return { type, text: fields.text(key.text), ...refusal, ...source };
    }
    case "reasoning":
      return { type, text: fields.text(key.text), ...source };
    case "tool-call":
      return {
        type,
        callId: fields.text(key.callId),
        tool: fields.text(key.tool),
        arguments: fields.json(key.arguments),
        ...source,
      };
  }
}

function readSource(fields: RecordFields): { source?: WireItem } {
  if (fields.optional(key.wireJson) === undefined) return {};
  return {
    source: {
      provider: fields.text(key.provider),
      wire: fields.word(key.wire, ["responses", "chat"]),
      json: fields.json(key.wireJson),
    },
  };
}

function readToolResult(fields: RecordFields): ToolResultRecord {
  const details = fields.optional(key.details);
  const microseconds = fields.optional(key.realMicroseconds);
  return {
    kind: "tool-result",
    callId: fields.text(key.callId),
    tool: fields.text(key.tool),
    status: fields.word(key.status, ["ok", "error", "cancelled", "unknown"]),
    output: fields.text(key.output),
    ...(typeof microseconds === "number" ? { realMicroseconds: microseconds } : {}),
    ...(details === undefined ? {} : { details: formToJson(details) }),
  };
}
