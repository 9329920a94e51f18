import { parseForeignJson } from "../../orchestrator/contract/json-nesting.ts";
/** A call as it grows over the pieces of a Chat Completions stream. */
export interface GrowingCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/** One piece of a call as it arrived; every part may be missing. */
export interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Adds a piece to the calls so far and returns the call it went to.
 *
 * Servers label pieces in many ways: by index alone after the first piece, with the id in each piece, every call with
 * index 0, no index, no id, or one id twice. So the id decides where it can; then the index; then the order. A piece
 * that names a function starts a new call when the call it would join already has whole arguments.
 */
export function addCallPiece(calls: GrowingCall[], piece: CallPiece): GrowingCall {
  const target = targetOf(calls, piece);
  if (target === undefined) {
    const call: GrowingCall = { ...piece };
    calls.push(call);
    return call;
  }
  if (target.id === "") target.id = piece.id;
  if (target.name === "") target.name = piece.name;
  target.arguments += piece.arguments;
  return target;
}

function targetOf(calls: readonly GrowingCall[], piece: CallPiece): GrowingCall | undefined {
  const candidate = piece.id === "" ? byPosition(calls, piece) : byId(calls, piece);
  if (candidate === undefined) return undefined;
  const startsAnother = piece.name !== "" && candidate.name !== "" && !isContinuation(candidate, piece);
  return startsAnother ? undefined : candidate;
}

function byId(calls: readonly GrowingCall[], piece: CallPiece): GrowingCall | undefined {
  const sameId = calls.findLast((call) => call.id === piece.id && sameIndex(call, piece));
  if (sameId !== undefined) return sameId;
  // A call that began without an id may learn it from a later piece of the same index.
  const unnamed =
    piece.index === undefined ? undefined : calls.findLast((call) => call.index === piece.index);
  return unnamed?.id === "" && piece.name === "" ? unnamed : undefined;
}

function byPosition(calls: readonly GrowingCall[], piece: CallPiece): GrowingCall | undefined {
  return piece.index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === piece.index);
}

function sameIndex(call: GrowingCall, piece: CallPiece): boolean {
  return piece.index === undefined || call.index === undefined || call.index === piece.index;
}

/** Some servers repeat the name in every piece of a call: then its arguments are under way and not whole yet. */
function isContinuation(call: GrowingCall, piece: CallPiece): boolean {
  if (call.name !== piece.name) return false;
  const isEmpty = call.arguments === "";
  if (isEmpty) return piece.id !== "" && piece.id === call.id && piece.arguments !== "";
  return !isWholeJson(call.arguments);
}

function isWholeJson(text: string): boolean {
  try {
    parseForeignJson(text);
    return true;
  } catch {
    return false;
  }
}
