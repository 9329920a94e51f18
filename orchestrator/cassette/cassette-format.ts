import { z } from "zod";
import { exchangeKeySchema, type ExchangeKey } from "../contract/agent-thread.ts";
import { parseForeignJson } from "../contract/json-nesting.ts";
import { issuesText } from "../contract/issue-words.ts";
import { AutolithError } from "../contract/failure.ts";
import {
  modelItemSchema,
  modelResponseSchema,
  reasoningEffortSchema,
  toolSchemaSchema,
  type ModelItem,
  type ModelRequest,
  type ModelResponse,
} from "../contract/model.ts";

/**
 * A cassette is a text of JSON lines: a head, then one line for each exchange. An exchange holds only what is new
 * since the one before it in its lineage and purpose, so that a file grows with the conversation and not with its square.
 */
export const cassetteHeadSchema = z.strictObject({
  kind: z.literal("autolith-cassette"),
  version: z.literal(1),
});

/** One recorded exchange. */
export const recordedExchangeSchema = z.strictObject({
  kind: z.literal("exchange"),
  key: exchangeKeySchema,
  request: z.strictObject({
    model: z.string(),
    reasoningEffort: reasoningEffortSchema.optional(),
    /** Absent when it is that of the exchange before. */
    instructions: z.string().optional(),
    /** Absent when they are those of the exchange before. */
    tools: z.array(toolSchemaSchema).optional(),
    /** Leading items that this request shares with the one before and its response. */
    keptItems: z.int().nonnegative(),
    newItems: z.array(modelItemSchema),
  }),
  response: modelResponseSchema,
});
export type RecordedExchange = z.infer<typeof recordedExchangeSchema>;

/** An exchange with everything that earlier lines supply. */
export interface FullExchange {
  readonly key: ExchangeKey;
  readonly request: ModelRequest;
  readonly response: ModelResponse;
}

/** A cassette that cannot be read or written. Codes: `cassette-unreadable`, `cassette-malformed`, `cassette-unwritable`. */
export class CassetteError extends AutolithError {}

/** Largest cassette that is read, in bytes. */
export const cassetteByteLimit = 64 * 1024 * 1024;

/** The head line of a new cassette, with its line end. */
export function cassetteHeadLine(): string {
  return `${JSON.stringify({ kind: "autolith-cassette", version: 1 })}\n`;
}

/** An exchange as it is recorded, given the one before it in its lineage and purpose. */
export function recordedExchange(exchange: FullExchange, before: FullExchange | undefined): RecordedExchange {
  const { request } = exchange;
  const shared = before === undefined ? 0 : sharedLength(request.items, itemsAfter(before));
  const sameInstructions = before?.request.instructions === request.instructions;
  const sameTools =
    before !== undefined && JSON.stringify(before.request.tools) === JSON.stringify(request.tools);
  return {
    kind: "exchange",
    key: exchange.key,
    request: {
      model: request.model,
      ...(request.reasoningEffort === undefined ? {} : { reasoningEffort: request.reasoningEffort }),
      ...(sameInstructions ? {} : { instructions: request.instructions }),
      ...(sameTools ? {} : { tools: request.tools }),
      keptItems: shared,
      newItems: request.items.slice(shared),
    },
    response: exchange.response,
  };
}

/** The line of a recorded exchange, with its line end. */
export function exchangeLine(recorded: RecordedExchange): string {
  return `${JSON.stringify(recorded)}\n`;
}

/**
 * Reads a cassette.
 *
 * @throws CassetteError `cassette-malformed`, naming the line and what is wrong with it.
 */
export function parseCassette(text: string): FullExchange[] {
  const lines = text.split("\n");
  const exchanges: FullExchange[] = [];
  const latest = new Map<string, FullExchange>();
  for (const [index, line] of lines.entries()) {
    if (index > 0 && line.trim() === "") continue;
    const value = jsonOf(line, index + 1);
    if (index === 0) {
      checked(cassetteHeadSchema, value, 1);
      continue;
    }
    const recorded = checked(recordedExchangeSchema, value, index + 1);
    const series = seriesOf(recorded.key);
    const exchange = completed(recorded, latest.get(series), index + 1);
    latest.set(series, exchange);
    exchanges.push(exchange);
  }
  return exchanges;
}

/** Exchanges of one series follow each other: one lineage, one purpose. */
export function seriesOf(key: Omit<ExchangeKey, "ordinal">): string {
  return JSON.stringify([key.lineage, key.purpose]);
}

/** The conversation behind an exchange: what its request held, and its response. */
function itemsAfter(exchange: FullExchange): readonly ModelItem[] {
  return [...exchange.request.items, ...exchange.response.items];
}

function completed(recorded: RecordedExchange, before: FullExchange | undefined, line: number): FullExchange {
  const { request } = recorded;
  const known = before === undefined ? [] : itemsAfter(before);
  const instructions = request.instructions ?? before?.request.instructions;
  const tools = request.tools ?? before?.request.tools;
  if (instructions === undefined || tools === undefined || request.keptItems > known.length) {
    throw malformed(line, "it refers to an earlier exchange of its lineage and purpose, which is not there");
  }
  return {
    key: recorded.key,
    response: recorded.response,
    request: {
      model: request.model,
      instructions,
      tools,
      items: [...known.slice(0, request.keptItems), ...request.newItems],
      ...(request.reasoningEffort === undefined ? {} : { reasoningEffort: request.reasoningEffort }),
    },
  };
}

function sharedLength(items: readonly ModelItem[], known: readonly ModelItem[]): number {
  const limit = Math.min(items.length, known.length);
  let length = 0;
  while (length < limit && JSON.stringify(items[length]) === JSON.stringify(known[length])) length += 1;
  return length;
}

function jsonOf(line: string, number: number): unknown {
  try {
    return parseForeignJson(line);
  } catch (error) {
    throw malformed(number, `it is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, line: number): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw malformed(line, issuesText(result.error, value));
}

function malformed(line: number, problem: string): CassetteError {
  return new CassetteError("cassette-malformed", `Line ${line} of the cassette cannot be used: ${problem}.`);
}
