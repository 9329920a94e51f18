/** What must hold of a session whose hosts were killed and which was opened again. Pure. */
import type { SessionUpdate } from "../../../orchestrator/contract/session.ts";
import type { RecordedRequest } from "../../../test/support/model-server/script.ts";
import { formEffect, itemsOf } from "./session-script.ts";

export type SessionEvidence = {
  /** Texts of messages that a host accepted. */
  readonly accepted: readonly string[];
  /** Sources of `? form`s that a host accepted. */
  readonly acceptedForms: readonly string[];
  /** Texts that were sent to a host, accepted or not. */
  readonly sent: readonly string[];
  /** What the record shows, in order. */
  readonly shown: readonly SessionUpdate[];
  readonly requests: readonly RecordedRequest[];
  /** Lines that commands left. */
  readonly effects: readonly string[];
  /** Executions of detached jobs that have ended. */
  readonly endedJobs: readonly string[];
  /** What reading the record complained of. */
  readonly anomalies: readonly string[];
  readonly sequences: readonly number[];
};

export function sessionViolations(evidence: SessionEvidence): readonly string[] {
  return [
    ...inputs(evidence),
    ...completions(evidence),
    ...forms(evidence),
    ...formEnds(evidence),
    ...repeated("shown twice", evidence.shown.flatMap(shownId)),
    ...repeated("done twice", evidence.effects),
    ...evidence.requests.flatMap(unpaired),
    ...evidence.anomalies.map((anomaly) => `the record is not sound: ${anomaly}`),
    ...(evidence.sequences.every((seq, index) => seq === index + 1)
      ? []
      : [`the record's numbers have a gap: ${evidence.sequences.join(" ")}`]),
  ];
}

/** Accepted input is delivered exactly once, what was only sent at most once, and nothing else is. */
function inputs({ accepted, sent, shown }: SessionEvidence): readonly string[] {
  const typed = shown.flatMap((update) =>
    update.type === "user-message" && update.origin !== "automatic" ? [update.text] : [],
  );
  const count = (text: string): number => typed.filter((each) => each === text).length;
  return [
    ...accepted
      .filter((text) => count(text) !== 1)
      .map((text) => `${text} was accepted and is there ${count(text)} times`),
    ...sent.filter((text) => count(text) > 1).map((text) => `${text} is there ${count(text)} times`),
    ...typed.filter((text) => !sent.includes(text)).map((text) => `nobody typed ${text}`),
  ];
}

/** Executions that automatic messages tell the end of. */
export function completedExecutions(shown: readonly SessionUpdate[]): readonly string[] {
  return shown.flatMap((update) =>
    update.type === "user-message" && update.origin === "automatic"
      ? (/:EXECUTION-ID "([^"]+)"/i.exec(update.text)?.[1] ?? [])
      : [],
  );
}

/** Each ended detached job is told of exactly once. */
function completions({ shown, endedJobs }: SessionEvidence): readonly string[] {
  const told = completedExecutions(shown);
  return [
    ...repeated("told of twice", told),
    ...endedJobs.filter((job) => !told.includes(job)).map((job) => `the end of ${job} was never told`),
  ];
}

/** Each accepted form is in the record once, has one end, and the model is told of it once. */
function forms({ shown, acceptedForms, requests }: SessionEvidence): readonly string[] {
  const begun = shown.flatMap((update) => (update.type === "form" ? [update] : []));
  const ends = shown.flatMap((update) => (update.type === "form-result" ? [update.formId] : []));
  const lastTyped = shown.findLastIndex((update) => update.type === "user-message");
  const endedBefore = new Set(
    shown.slice(0, lastTyped).flatMap((update) => (update.type === "form-result" ? [update.formId] : [])),
  );
  const timesTold = ({ source }: { readonly source: string }): readonly number[] =>
    requests.map(({ text }) => text.split(JSON.stringify(source).slice(1, -1)).length - 1);
  return [
    ...acceptedForms
      .filter((source) => !begun.some((form) => form.source === source))
      .map((source) => `the form ${source} was accepted and is not there`),
    ...repeated(
      "form in the record twice",
      begun.map(({ source }) => source),
    ),
    ...repeated("form ended twice", ends),
    ...begun.filter(({ formId }) => !ends.includes(formId)).map(({ formId }) => `${formId} has no end`),
    ...begun
      .filter((form) => timesTold(form).some((times) => times > 1))
      .map(({ formId }) => `the model was told of ${formId} twice`),
    ...begun
      .filter((form) => endedBefore.has(form.formId) && !timesTold(form).includes(1))
      .map(({ formId }) => `the model was never told of ${formId}`),
  ];
}

/** What is told of a form's end agrees with what it did: a value was done once, what never began did nothing, the rest is unknown. */
function formEnds({ shown, effects }: SessionEvidence): readonly string[] {
  const statuses = new Map(
    shown.flatMap((update) =>
      update.type === "form-result" ? [[update.formId, update.status] as const] : [],
    ),
  );
  return shown.flatMap((update) => {
    const effect = update.type === "form" ? formEffect(update.source) : undefined;
    if (update.type !== "form" || effect === undefined) return [];
    const status = statuses.get(update.formId);
    const isDone = effects.includes(effect);
    if (status === "never-begun" && isDone)
      return [`${update.formId} is told as never begun, and did ${effect}`];
    if (status === "values" && !isDone)
      return [`${update.formId} is told as returned, and did not do ${effect}`];
    return [];
  });
}

function repeated(what: string, names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map(
    (name) => `${what}: ${name}`,
  );
}

function shownId(update: SessionUpdate): readonly string[] {
  switch (update.type) {
    case "user-message":
    case "message-chunk":
    case "thought-chunk":
      return [update.messageId];
    case "tool-call":
      return [`call ${update.callId}`];
    case "tool-call-update":
      return [`result of ${update.callId}`];
    default:
      return [];
  }
}

/** Calls that were sent to the model without exactly one result behind them. */
function unpaired(request: RecordedRequest): readonly string[] {
  const items = itemsOf(request);
  return items.flatMap((item, index) => {
    if (item.type !== "function_call") return [];
    const results = items.filter(
      (each) => each.type === "function_call_output" && each.call_id === item.call_id,
    );
    const behind =
      items.findIndex((each) => each.type === "function_call_output" && each.call_id === item.call_id) >
      index;
    return results.length === 1 && behind
      ? []
      : [`request ${request.number} has ${results.length} results of call ${item.call_id ?? "?"}`];
  });
}
