import { wrongArgumentCount } from "./argument-count.ts";
import { FrameCode } from "../compiler/frame-code.ts";
import type { KeyTable } from "../compiler/emit-unit.ts";
import { LArray } from "../data/array.ts";
import { CallCache } from "../data/call-cache.ts";
import { Char, char } from "../data/character.ts";
import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import { LispError, controlError, programError, storageError, typeError } from "../data/error.ts";
import { type FunctionInfo, LFunction, UndefinedFunction } from "../data/function.ts";
import type { LeafCode } from "../data/leaf.ts";
import { LongOperation, unfinishedCall } from "../data/long-work.ts";
import { eqlNumbers } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, UNBOUND } from "../data/symbol.ts";
import { Unfinished } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { CatchToken, ExitToken } from "./exit-token.ts";
import { type Frame, GreenThread, type SuspendReason, callFrame } from "./green-thread.ts";
import { SUSPEND } from "./suspend.ts";

/** Steps between two looks at the clock and the limits. */
const SLICE_STEPS = 10_000;
/** Length of a time slice, in milliseconds, when other threads want to run. */
const SLICE_MS = 5;

/** Time between two looks at the heap, in milliseconds. */
const HEAP_LOOK_MS = 100;

/** Marks the binding-stack entry of a CATCH. */
const CATCH_MARK = new LSymbol("CATCH", null);

/** State of an exit in progress, kept while cleanup forms run. */
interface SavedUnwinding {
  readonly target: ExitToken | null;
  readonly value: LispValue;
  readonly mv: LispValue[] | null;
}

/** Services the image gives to the runtime. */
export interface RuntimeServices {
  /** The keyword `:allow-other-keys`. */
  readonly allowOtherKeys: LSymbol;
  /** Megabytes of the soft bound of the heap when it is exceeded, else null. */
  readonly heapExcess: () => number | null;
  /** The function that signals an error on behalf of a leaf: called with the condition type and a list of initargs. */
  readonly signalFunction: () => LFunction | null;
  /** Condition type symbol and initarg list of a leaf's error. */
  /** The storage condition for an exhausted stack or an object that V8 refuses to make. */
  readonly hostBound: (error: RangeError) => LispError;
  readonly describeError: (error: Pick<LispError, "conditionType" | "initargs">) => {
    readonly type: LispValue;
    readonly initargs: LispValue;
  };
}

/** Most arguments of APPLY: they lie on the stack, which must hold them more than once. */
const MAX_APPLIED = 1_048_576;

const callCode = new FrameCode(NIL, () => (_pc, locals) => {
  const [fn, args] = locals as [LFunction, LispValue[]];
  return (fn.code as (...all: LispValue[]) => LispValue)(fn, ...args);
});

/** Interrupts of one thread, told by another JavaScript thread through a shared word. */
export interface Interrupts {
  /** Not 0: the kind of an interrupt that has not been taken yet. */
  readonly word: Int32Array;
  readonly thread: GreenThread;
  /** Called with the kind at the thread's next safe point; what it returns is ignored. */
  readonly answer: LFunction;
}

/**
 * The machine under compiled code, one per image. Compiled code knows it as `R` and uses the public fields directly.
 */
export class Runtime {
  /** When above 0: suspend after that many steps, whatever the clock says; exercises slow versions and entries (for tests). */
  suspendEvery = 0;
  /** Steps left until `tick` must be called. */
  budget = SLICE_STEPS;
  /** Multiple values of the last call: null when it returned exactly one value. */
  mv: LispValue[] | null = null;
  /** The suspension marker while unwinding to `target`, else null. */
  unwinding: LispValue | null = null;
  target: ExitToken | null = null;
  exitValue: LispValue = NIL;
  /** Dynamic bindings of the running thread: symbol and outer value, alternating; catch tags as well. */
  bindings: LispValue[] = [];
  /** Frames being captured, innermost first. */
  private captured: Frame[] = [];
  reason: SuspendReason | null = null;
  current: GreenThread | null = null;
  /** Set when another thread is ready, so that the running one gives way at the end of its slice. */
  contended = false;
  private sliceStartedAt = 0;
  private heapLookedAt = 0;
  /** Threads started so far. */
  threads = 0;
  /** Threads that have been started and have not ended. */
  readonly live = new Set<GreenThread>();
  private readonly services: RuntimeServices;
  /** Bound methods that compiled code calls as plain functions. */
  readonly save: (code: FrameCode, pc: number, locals: readonly unknown[]) => LispValue;
  /** What a call of a leaf gives that threw; `leaf` and its arguments are for those that are made again in steps. */
  readonly trap: (error: unknown, leaf?: LeafCode, ...args: LispValue[]) => LispValue;
  private readonly goingOn: FrameCode;

  constructor(services: RuntimeServices) {
    this.services = services;
    this.save = (code, pc, locals) => {
      if (this.unwinding === null) this.captured.push({ code, pc, locals });
      return SUSPEND;
    };
    this.trap = (error, leaf, ...args) => {
      if (error instanceof LongOperation && leaf !== undefined)
        return this.goOn(unfinishedCall(() => (leaf as (...all: LispValue[]) => LispValue)(...args)));
      return error instanceof Unfinished ? this.goOn(error) : this.signal(error);
    };
    this.goingOn = new FrameCode(
      NIL,
      () => (_pc, locals, value) =>
        value === SUSPEND ? this.save(this.goingOn, 0, locals) : this.goOn(locals[0] as Unfinished),
    );
  }

  // ---------------------------------------------------------------- errors

  /** Calls the Lisp function ERROR in place of the failed operation; `args` are those of a call that was not possible. */
  private signal(error: unknown, args?: LispValue): LispValue {
    const lispError = asLispError(error, this.services);
    const fn = this.services.signalFunction();
    if (fn === null) throw error;
    const { type, initargs } = this.services.describeError(lispError);
    return args === undefined ? call(fn, type, initargs) : call(fn, type, initargs, args);
  }

  /** Goes on with the work of a leaf, share by share, with a safe point before each. */
  private goOn(first: Unfinished): LispValue {
    for (let work = first; ;) {
      this.budget -= work.steps;
      if (this.budget < 0 && this.tick() === SUSPEND) return this.save(this.goingOn, 0, [work]);
      this.mv = null;
      try {
        return work.resume();
      } catch (error) {
        if (!(error instanceof Unfinished)) return this.signal(error);
        work = error;
      }
    }
  }

  wrongArguments(fn: LFunction): LispValue {
    return this.signal(wrongArgumentCount(fn.info));
  }

  /** CAR, CDR or a path of them (the letters as in the name) met something that is no list: the error, without throwing it. */
  noList(path: string, object: LispValue): LispValue {
    let value = object;
    for (let i = path.length - 1; i >= 0; i--) {
      if (!(value instanceof Cons) && value !== NIL) return this.signalNoList(value);
      value = path[i] === "a" ? (value as Cons).car : (value as Cons).cdr;
    }
    return value;
  }

  private signalNoList(value: LispValue): LispValue {
    const fn = this.services.signalFunction();
    if (fn === null) throw typeError(value, "LIST");
    const { type, initargs } = this.services.describeError(noListError(value));
    return call(fn, type, initargs);
  }

  /** A value is not of the declared type whose name is given. */
  wrongKind(value: LispValue, type: string): LispValue {
    return this.signal(typeError(value, type));
  }

  /** True for a simple array of that rank whose elements may be any objects. */
  isGeneral(value: LispValue, rank: number): boolean {
    if (!(value instanceof LArray) || value.type !== "t" || value.characters) return false;
    return value.dims.length === rank && value.simple;
  }

  unboundVariable(symbol: LSymbol): LispValue {
    return this.signal(
      new LispError("UNBOUND-VARIABLE", [["NAME", symbol]], `unbound variable ${symbol.name}`),
    );
  }

  undefinedFunction(symbol: LSymbol): LispValue {
    return this.signal(undefinedFunctionError(symbol));
  }

  /** An exception of JavaScript that reached a region: signalled here, with the bindings of the region. */
  foreign(error: unknown, depth: number): LispValue {
    this.unbind(depth);
    return this.signal(error);
  }

  // ---------------------------------------------------------------- calls that remember

  newCache(): CallCache {
    return new CallCache();
  }

  /** A slot accessor whose cache does not hold for the object. */
  access(cache: CallCache, symbol: LSymbol, object: LispValue, ...args: readonly LispValue[]): LispValue {
    const fn = symbol.fn!;
    fn.noteCall(cache, object, args.length, true);
    return call(fn, ...args);
  }

  /** A generic function whose cache does not hold for the first argument. */
  invoke1(cache: CallCache, symbol: LSymbol, a: LispValue): LispValue {
    const fn = symbol.fn!;
    fn.noteCall(cache, a, 1, false);
    return (fn.code as (self: LFunction, a: LispValue) => LispValue)(fn, a);
  }

  invoke2(cache: CallCache, symbol: LSymbol, a: LispValue, b: LispValue): LispValue {
    const fn = symbol.fn!;
    fn.noteCall(cache, a, 2, false);
    return (fn.code as (self: LFunction, a: LispValue, b: LispValue) => LispValue)(fn, a, b);
  }

  invoke3(cache: CallCache, symbol: LSymbol, a: LispValue, b: LispValue, c: LispValue): LispValue {
    const fn = symbol.fn!;
    fn.noteCall(cache, a, 3, false);
    return (fn.code as (self: LFunction, ...args: LispValue[]) => LispValue)(fn, a, b, c);
  }

  // ---------------------------------------------------------------- functions and arguments

  defined(fn: LFunction | null): boolean {
    return fn !== null && !(fn instanceof UndefinedFunction);
  }

  ensureCallable(symbol: LSymbol): void {
    symbol.fn ??= this.undefined(symbol);
  }

  /** An UndefinedFunction for a symbol. Calling it signals with restarts that may give the values of the call. */
  undefined(symbol: LSymbol): UndefinedFunction {
    const code = (_self: LFunction, ...args: readonly LispValue[]): LispValue =>
      this.signal(undefinedFunctionError(symbol), arrayToList(args));
    const info: FunctionInfo = {
      name: symbol,
      lambdaList: "&rest arguments",
      documentation: NIL,
      location: null,
      leaf: false,
      source: null,
    };
    return new UndefinedFunction(code, [], info);
  }

  coerceFunction(designator: LispValue): LispValue {
    if (designator instanceof LFunction) return designator;
    if (designator instanceof LSymbol) {
      if (designator.macro === null && this.defined(designator.fn)) return designator.fn!;
      return this.undefinedFunction(designator);
    }
    return this.signal(typeError(designator, "(OR FUNCTION SYMBOL)"));
  }

  restList(rest: readonly LispValue[]): LispValue {
    return arrayToList(rest);
  }

  /** Values of keyword parameters in the order of the table; `undefined` for those not given. */
  parseKeys(fn: LFunction, rest: readonly LispValue[], table: KeyTable): LispValue {
    const { keys } = table;
    const found: (LispValue | undefined)[] = [];
    for (let i = 0; i < keys.length; i++) found.push(undefined);
    const { length } = rest;
    if (length === 0) return found;
    let unknown: LispValue | null = null;
    let allow: LispValue | null = null;
    for (let i = 0; i + 1 < length; i += 2) {
      const key = rest[i]!;
      const index = keys.indexOf(key as LSymbol);
      if (index >= 0) found[index] ??= rest[i + 1]!;
      if (key === this.services.allowOtherKeys) allow ??= rest[i + 1]!;
      else if (index < 0) unknown ??= key;
    }
    if (length % 2 !== 0) {
      return this.signal(programError("odd number of keyword arguments for ~S", describedName(fn.info)));
    }
    if (unknown !== null && !table.allow && (allow === null || allow === NIL)) {
      return this.signal(programError("unknown keyword argument ~S for ~S", unknown, describedName(fn.info)));
    }
    return found;
  }

  /** Arguments of APPLY as an array. */
  spread(last: LispValue, ...first: readonly LispValue[]): LispValue {
    const rest = listToArray(last);
    if (rest === null) return this.signal(typeError(last, "LIST"));
    const count = first.length + rest.length;
    if (count > MAX_APPLIED) {
      return this.signal(storageError("APPLY got ~D arguments; the bound is ~D.", count, MAX_APPLIED));
    }
    return first.length === 0 ? rest : [...first, ...rest];
  }

  // ---------------------------------------------------------------- strings

  /** Character `index` of a string, whatever its fill pointer; undefined for other objects and places. */
  charAt(string: LispValue, index: number): LispValue | undefined {
    return string instanceof LString && index >= 0 && index < string.total
      ? char(string.code(index))
      : undefined;
  }

  /** Like `charAt`, for simple strings. */
  scharAt(string: LispValue, index: number): LispValue | undefined {
    return string instanceof LString && string.simple ? this.charAt(string, index) : undefined;
  }

  /** Stores a character in a string; false, and nothing is stored, for other objects and places. */
  putChar(value: LispValue, string: LispValue, index: number): boolean {
    if (!(string instanceof LString) || string.barren || !(value instanceof Char)) return false;
    if (index < 0 || index >= string.total) return false;
    string.setCode(index, value.code);
    return true;
  }

  // ---------------------------------------------------------------- values

  collect(all: LispValue[], primary: LispValue): void {
    if (this.mv === null) all.push(primary);
    else for (const value of this.mv) all.push(value);
  }

  valuesList(primary: LispValue): LispValue {
    return this.mv === null ? new Cons(primary, NIL) : arrayToList(this.mv);
  }

  /** EQL of two values that are not identical. */
  readonly eql = eqlNumbers;

  // ---------------------------------------------------------------- dynamic bindings

  bind(symbol: LSymbol, value: LispValue): void {
    this.bindings.push(symbol, symbol.value);
    symbol.value = value;
  }

  unbind(depth: number): void {
    const { bindings } = this;
    while (bindings.length > depth) {
      const outer = bindings.pop()!;
      (bindings.pop() as LSymbol).value = outer;
    }
  }

  progv(symbols: LispValue, values: LispValue): LispValue {
    const names = listToArray(symbols);
    if (names === null) return this.signal(typeError(symbols, "LIST"));
    for (const symbol of names) {
      if (!(symbol instanceof LSymbol)) return this.signal(typeError(symbol, "SYMBOL"));
      if (symbol.kind === "constant") return this.signal(programError("cannot bind the constant ~S", symbol));
      this.bind(symbol, values instanceof Cons ? values.car : UNBOUND);
      values = values instanceof Cons ? values.cdr : NIL;
    }
    return NIL;
  }

  // ---------------------------------------------------------------- exits

  exit(): ExitToken {
    return new ExitToken(this.bindings.length);
  }

  pushCatch(tag: LispValue): CatchToken {
    const token = new CatchToken(this.bindings.length, tag);
    this.bindings.push(CATCH_MARK, token);
    return token;
  }

  /** Starts unwinding to a token; the multiple values are those in the register. */
  unwindTo(token: ExitToken, value: LispValue): LispValue {
    if (!token.live)
      return this.signal(controlError("attempt to leave a block or tagbody that has been left already"));
    this.target = token;
    this.exitValue = value;
    this.unwinding = SUSPEND;
    return SUSPEND;
  }

  throwTo(tag: LispValue, value: LispValue): LispValue {
    const { bindings } = this;
    for (let i = bindings.length - 2; i >= 0; i -= 2) {
      if (bindings[i] !== CATCH_MARK) continue;
      const token = bindings[i + 1] as CatchToken;
      if (token.tag === tag) return this.unwindTo(token, value);
    }
    return this.signal(controlError("no catch tag ~S is in force", tag));
  }

  /** Ends the running thread: every UNWIND-PROTECT runs, then the thread is done. */
  unwindToTop(reason = "aborted"): LispValue {
    const thread = this.current!;
    thread.topReason = reason;
    return this.unwindTo(thread.top, NIL);
  }

  /** The exit has arrived: its value. */
  caught(): LispValue {
    this.unwinding = null;
    this.target = null;
    return this.exitValue;
  }

  saveUnwinding(): SavedUnwinding {
    const saved = { target: this.target, value: this.exitValue, mv: this.mv };
    this.unwinding = null;
    this.target = null;
    return saved;
  }

  saveValues(): SavedUnwinding {
    return { target: null, value: NIL, mv: this.mv };
  }

  /** After cleanup forms: restores the values; true when an exit goes on. */
  resumeUnwinding(saved: SavedUnwinding): boolean {
    this.mv = saved.mv;
    if (saved.target === null) return false;
    this.target = saved.target;
    this.exitValue = saved.value;
    this.unwinding = SUSPEND;
    return true;
  }

  // ---------------------------------------------------------------- threads

  /** Safe point: accounts for the steps taken and suspends or unwinds the thread when it must. */
  tick(): LispValue {
    // Leaves charge their work, so the budget may be far below zero.
    const spent = SLICE_STEPS - Math.min(this.budget, 0);
    this.budget = this.suspendEvery > 0 ? this.suspendEvery - 1 : SLICE_STEPS;
    const thread = this.current;
    if (thread === null) return NIL;
    thread.steps += spent;
    if (thread.cancelReason !== null) {
      const reason = thread.cancelReason;
      thread.cancelReason = null;
      return this.unwindToTop(reason);
    }
    if (this.interrupts !== null && this.interrupted()) return this.takeInterrupt();
    if (thread.steps > thread.stepLimit) {
      const limit = thread.stepLimit;
      thread.stepLimit = limit + SLICE_STEPS * 100;
      return this.signal(storageError("the evaluation took more than ~D steps", limit));
    }
    if (this.suspendEvery > 0) return this.suspend({ kind: "slice" });
    const now = performance.now();
    if (now - this.heapLookedAt > HEAP_LOOK_MS) {
      this.heapLookedAt = now;
      const excess = this.services.heapExcess();
      if (excess !== null)
        return this.signal(storageError("the heap is full: more than ~D megabytes are in use", excess));
    }
    if (now - this.sliceStartedAt < SLICE_MS) return NIL;
    if (!this.contended && !this.overdue()) return NIL;
    return this.suspend({ kind: "slice" });
  }

  /** Set by a host whose user may interrupt an evaluation. */
  interrupts: Interrupts | null = null;

  /** True when the running thread has an interrupt to take. */
  private interrupted(): boolean {
    const { interrupts } = this;
    return (
      interrupts !== null && interrupts.thread === this.current && Atomics.load(interrupts.word, 0) !== 0
    );
  }

  /** Takes the interrupt of the running thread, if there is one: calls what answers it. */
  takeInterrupt(): LispValue {
    if (!this.interrupted()) return NIL;
    const { word, answer } = this.interrupts!;
    return call(answer, Atomics.exchange(word, 0, 0));
  }

  /** Even alone, a thread lets the host's event loop run now and then. */
  private overdue(): boolean {
    // Another thread may wait for a timer or an answer, which only the event loop brings.
    if (this.live.size > 1) return true;
    if (this.attention !== null) return Atomics.load(this.attention, 0) > 0;
    return this.yieldsToHost && performance.now() - this.sliceStartedAt > 8 * SLICE_MS;
  }
  /**
   * Shared with whoever feeds this JavaScript thread: its first element counts messages that wait for the event loop. With it a
   * lone evaluation gives way only when there is something to see.
   */
  attention: Int32Array | null = null;
  /** False when nothing on this JavaScript thread needs the event loop while Lisp runs. */
  yieldsToHost = true;

  /** Begins to suspend the running thread; the caller returns the marker. */
  suspend(reason: SuspendReason): LispValue {
    this.reason = reason;
    return SUSPEND;
  }

  /** Suspends the running thread until the promise settles; what it resolves to becomes the value of the call. */
  wait(promise: Promise<LispValue>): LispValue {
    return this.suspend({ kind: "wait", promise });
  }

  /** A new thread that calls `fn` with `args`. */
  thread(name: string, fn: LFunction, args: readonly LispValue[]): GreenThread {
    const thread = new GreenThread(++this.threads, name, callFrame(callCode, fn, args), NIL);
    this.live.add(thread);
    return thread;
  }

  /** Runs a thread until it ends (its `outcome` is set; returns null) or suspends (returns why). */
  run(thread: GreenThread): SuspendReason | null {
    const outer = { current: this.current, bindings: this.bindings, mv: this.mv, captured: this.captured };
    this.current = thread;
    this.captured = [];
    this.switchIn(thread);
    this.sliceStartedAt = performance.now();
    try {
      return this.drive(thread);
    } finally {
      this.switchOut(thread);
      this.current = outer.current;
      this.bindings = outer.bindings;
      this.mv = outer.mv;
      this.captured = outer.captured;
    }
  }

  private drive(thread: GreenThread): SuspendReason | null {
    let value = thread.value;
    for (;;) {
      const frame = thread.frames.pop();
      if (frame === undefined) return this.finish(thread, value);
      try {
        value = frame.code.slow(frame.pc, frame.locals, value);
      } catch (error) {
        value = this.lostFrame(error);
      }
      if (value !== SUSPEND || this.unwinding !== null) continue;
      for (let i = this.captured.length - 1; i >= 0; i--) thread.frames.push(this.captured[i]!);
      this.captured = [];
      const { reason } = this;
      if (reason === null) throw new TypeError("a frame was suspended without a reason");
      this.reason = null;
      thread.value = NIL;
      return reason;
    }
  }

  /** An exception reached the bottom of the JavaScript stack: its frames are gone, ERROR is called on the captured ones. */
  private lostFrame(error: unknown): LispValue {
    this.captured = [];
    this.unwinding = null;
    try {
      return this.signal(error);
    } catch (second) {
      if (this.services.signalFunction() === null) throw second;
      return this.unwindToTop(`internal error: ${String(second)}`);
    }
  }

  private finish(thread: GreenThread, value: LispValue): null {
    this.live.delete(thread);
    if (value === SUSPEND) {
      const { quitCode } = thread;
      this.unwinding = null;
      this.target = null;
      thread.outcome =
        quitCode === null ? { kind: "unwound", reason: thread.topReason } : { kind: "quit", code: quitCode };
    } else {
      thread.outcome = { kind: "values", values: this.mv ?? [value] };
    }
    this.unbind(0);
    return null;
  }

  private switchIn(thread: GreenThread): void {
    this.mv = thread.mv;
    this.bindings = thread.bindings;
    swap(this.bindings, 0, 2);
  }

  private switchOut(thread: GreenThread): void {
    thread.mv = this.mv;
    swap(this.bindings, this.bindings.length - 2, -2);
  }

  /** Calls a Lisp function from the host and waits in place; the function cannot wait for the host. For boot and build. */
  callNow(fn: LFunction, ...args: readonly LispValue[]): LispValue {
    const thread = this.thread("host call", fn, args);
    // The callee sees the caller's dynamic bindings, because they are shallow and stay in force.
    const yields = this.yieldsToHost;
    this.yieldsToHost = false;
    try {
      while (thread.outcome === null) {
        const reason = this.run(thread);
        if (reason?.kind === "wait") throw controlError("a function called from the host cannot wait here");
      }
    } finally {
      this.yieldsToHost = yields;
      this.live.delete(thread);
    }
    if (thread.outcome.kind !== "values") throw new UnhandledCondition(thread.unhandled);
    return thread.outcome.values[0] ?? NIL;
  }
}

/** A function called from the host ended without a value, because of a condition nobody handled or an exit. */
export class UnhandledCondition extends Error {
  readonly code = "unhandled-condition";
  readonly condition: LispValue | null;
  constructor(condition: LispValue | null) {
    super("a Lisp function called from the host did not return");
    this.name = "UnhandledCondition";
    this.condition = condition;
  }
}

/** Exchanges stored and current values of bindings, in the given direction. */
function swap(bindings: LispValue[], start: number, step: number): void {
  for (let i = start; i >= 0 && i < bindings.length; i += step) {
    const symbol = bindings[i] as LSymbol;
    if (symbol === CATCH_MARK) continue;
    const value = bindings[i + 1]!;
    bindings[i + 1] = symbol.value;
    symbol.value = value;
  }
}

/** Calls a function object. */
export function call(fn: LFunction, ...args: readonly LispValue[]): LispValue {
  return (fn.code as (...all: readonly LispValue[]) => LispValue)(fn, ...args);
}

/** What a TYPE-ERROR of a value that should be a list says. */
function noListError(datum: LispValue): Pick<LispError, "conditionType" | "initargs"> {
  return {
    conditionType: "TYPE-ERROR",
    initargs: [
      ["DATUM", datum],
      ["EXPECTED-TYPE", "LIST"],
    ],
  };
}

function undefinedFunctionError(symbol: LSymbol): LispError {
  return new LispError("UNDEFINED-FUNCTION", [["NAME", symbol]], `undefined function ${symbol.name}`);
}

function describedName(info: FunctionInfo): LispValue {
  return info.name === NIL ? anonymous : info.name;
}

const anonymous = new LSymbol("an-anonymous-function", null);

/** Any exception as a Lisp error: exhausted stacks and memory become STORAGE-CONDITION. */
function asLispError(error: unknown, services: RuntimeServices): LispError {
  if (error instanceof LispError) return error;
  if (error instanceof RangeError) return services.hostBound(error);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new LispError("AUTOLITH-SYSTEM::INTERNAL-ERROR", [["TEXT", text]], text);
}
