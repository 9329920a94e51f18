export { eventCallId, eventToolName, publishedFileUri } from "./event-identities.ts";
export { queueCapacity } from "./event-queue.ts";
export { readRunJobEvents } from "./event-reader.ts";
export { streamEventSink, type EventSink } from "./event-sink.ts";
export { eventRecordOf, eventText, type UnknownEventRecord } from "./event-text.ts";
export {
  eventFields,
  eventKinds,
  eventLimits,
  eventStatuses,
  warningCodes,
  type EventData,
  type EventEnvelope,
  type EventKind,
  type EventPayload,
  type EventRecord,
  type EventStatus,
  type WarningCode,
} from "./event-vocabulary.ts";
export { RunJobEventWriter, type EventWriterOptions } from "./event-writer.ts";
export { RunJobEventError } from "./run-job-event-error.ts";
