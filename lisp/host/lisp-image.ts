import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import type { LFunction, SourceLocation } from "../data/function.ts";
import { LString } from "../data/string.ts";
import { type LPackage, type LSymbol, NIL, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { bootImage } from "../image/boot.ts";
import type { DefinitionJournal } from "../image/definition-journal.ts";
import type { Image } from "../image/image.ts";
import { ReaderContext } from "../reader/context.ts";
import { type Completeness, type TextToken, probeText, tokenizeText } from "../reader/probe.ts";
import { leafShape } from "../runtime/leaf-entry.ts";
import type { GreenThread, UnhandledReport } from "../runtime/green-thread.ts";
import { Scheduler } from "../runtime/scheduler.ts";
import type { HostPort } from "../streams/host-port.ts";
import { StringInputStream } from "../streams/string-streams.ts";
import { TerminalOutputStream } from "../streams/terminal-stream.ts";
import type {
  ConditionDecision,
  ConditionReport,
  EvaluateOptions,
  Evaluation,
  EvaluationResult,
  ValueReport,
} from "./evaluation.ts";

/**
 * A host function: gets evaluated arguments and the number of the evaluation that calls it (null when none does); a promise suspends
 * that evaluation only.
 */
export type HostFunction = (
  args: readonly LispValue[],
  evaluation: number | null,
) => LispValue | Promise<LispValue>;

/** A name that completes a prefix. */
export interface Completion {
  readonly name: string;
  readonly kind: "function" | "macro" | "special" | "variable" | "symbol";
}

/** A Lisp image as a host uses it: evaluations run as green threads over one heap. */
export class LispImage {
  /** The heap, for host code that works on Lisp values. */
  readonly image: Image;
  private readonly scheduler: Scheduler;
  private readonly context: ReaderContext;
  private currentPackage: string;

  /** `packageName` is where the first evaluation reads. */
  constructor(image: Image, packageName = "COMMON-LISP-USER") {
    this.image = image;
    this.currentPackage = packageName;
    this.scheduler = new Scheduler(this.image.runtime);
    this.context = new ReaderContext(this.image);
  }

  /** The definitions made in the image, with their source. */
  get journal(): DefinitionJournal {
    return this.image.journal;
  }

  /** Package in which the next evaluation reads. */
  get package(): string {
    return this.currentPackage;
  }

  private fn(name: string): LFunction {
    const fn = symbolFunction(this.image.symbol(name));
    if (fn === null) throw new TypeError(`the library lacks the function ${name}`);
    return fn;
  }

  /** Reads and evaluates the forms of a text one after the other, as a green thread of its own. */
  evaluate(source: string, options: EvaluateOptions = {}): Evaluation {
    const output = this.stream(options.onOutput ?? (() => undefined));
    const errors = this.stream(options.onErrorOutput ?? options.onOutput ?? (() => undefined));
    const input = new StringInputStream(options.input ?? "", 0);
    const args = [
      LString.from(source),
      LString.from(options.package ?? this.currentPackage),
      input,
      output,
      errors,
      options.previewLength ?? 2_000,
      options.file === undefined ? NIL : LString.from(options.file),
      options.rightMargin ?? NIL,
      options.readEval === false ? NIL : this.image.symbol("T"),
    ];
    let report: ConditionReport | null = null;
    const running = this.scheduler.start("evaluation", this.fn("SYS:EVALUATE-FOR-HOST"), args, (thread) => {
      if (options.stepLimit !== undefined) thread.stepLimit = options.stepLimit;
      thread.debugger = async (unhandled) => {
        report = conditionReport(unhandled, this.image.location);
        const asked = unhandled.note === undefined ? report : noted(report, unhandled.note);
        const decision = await (options.onCondition?.(asked) ?? Promise.resolve({ kind: "abort" } as const));
        return this.decisionForm(unhandled, decision);
      };
    });
    const onAbort = (): void => running.cancel(String(options.signal?.reason ?? "cancelled"));
    if (options.signal?.aborted === true) onAbort();
    options.signal?.addEventListener("abort", onAbort, { once: true });
    const result = running.outcome.then(() => {
      options.signal?.removeEventListener("abort", onAbort);
      return this.resultOf(running.thread, report, options.package);
    });
    return { id: running.thread.id, result, cancel: (reason) => running.cancel(reason) };
  }

  private stream(write: (text: string) => void): TerminalOutputStream {
    return new TerminalOutputStream(write, () => undefined, true);
  }

  /** Answer to the debugger: a list of the restart and its argument texts, or NIL to end the evaluation. */
  private decisionForm(unhandled: UnhandledReport, decision: ConditionDecision): LispValue {
    if (decision.kind === "abort") return NIL;
    const row = unhandled.restarts[decision.index];
    if (row === undefined) return NIL;
    return new Cons(row.restart, arrayToList((decision.arguments ?? []).map((text) => LString.from(text))));
  }

  private resultOf(
    thread: GreenThread,
    report: ConditionReport | null,
    asked: string | undefined,
  ): EvaluationResult {
    const outcome = thread.outcome!;
    const { steps } = thread;
    if (outcome.kind === "values") {
      const [pkg, values, previews] = listToArray(outcome.values[0]!)!;
      const name = (pkg as LString).toJS();
      if (asked === undefined) this.currentPackage = name;
      return { kind: "values", values: valueReports(values!, previews!), package: name, steps };
    }
    const end = { package: asked ?? this.currentPackage, steps };
    if (outcome.kind === "quit") return { kind: "quit", code: outcome.code, ...end };
    if (thread.unhandled !== null)
      return { kind: "failed", condition: report, reason: outcome.reason, ...end };
    return { kind: "cancelled", reason: outcome.reason, ...end };
  }

  /** Defines a function in Lisp that runs in the host: "NAME" in package AUTOLITH, or "PACKAGE:NAME". Exported and locked to the host. */
  defineFunction(name: string, lambdaList: string, fn: HostFunction, documentation = ""): LSymbol {
    const { image } = this;
    const full = name.includes(":") ? name : `AUTOLITH:${name}`;
    image.define(full, lambdaList, () => NIL, { caller: true, doc: documentation });
    const cell = image.cell(full);
    const { required, optional, rest, keys } = leafShape(lambdaList);
    const most = rest || keys !== null ? Number.POSITIVE_INFINITY : required + optional;
    cell.fn!.code = (_self: LFunction, ...args: LispValue[]) => {
      const { runtime } = image;
      if (args.length < required || args.length > most) {
        const wrong = this.fn("SYS:WRONG-HOST-ARGUMENTS");
        return (wrong.code as (...all: LispValue[]) => LispValue)(wrong, cell, arrayToList(args));
      }
      try {
        const result = fn(args, runtime.current?.id ?? null);
        return result instanceof Promise ? runtime.wait(result) : result;
      } catch (error) {
        return runtime.trap(error);
      }
    };
    return cell;
  }

  /** Is the text complete, does it need more lines, or is it wrong? Nothing is evaluated. */
  probe(text: string): Completeness {
    return this.inPackage(() => probeText(this.context, text));
  }

  /** Tokens of a text, for display. */
  tokens(text: string): TextToken[] {
    return this.inPackage(() => tokenizeText(this.context, text));
  }

  private inPackage<Result>(run: () => Result): Result {
    const symbol = this.image.symbol("*PACKAGE*");
    const outer = symbol.value;
    symbol.value = this.image.findPackage(this.currentPackage) ?? outer;
    try {
      return run();
    } finally {
      symbol.value = outer;
    }
  }

  /** Names that begin with the prefix (which may have a package prefix), sorted, at most `limit`. */
  complete(prefix: string, limit = 100, packageName = this.currentPackage): readonly Completion[] {
    const colon = /^(.*?)(::?)(.*)$/.exec(prefix);
    const pkg = this.image.findPackage(
      colon === null ? packageName : colon[1] === "" ? "KEYWORD" : colon[1]!.toUpperCase(),
    );
    if (pkg === null) return [];
    const start = (colon?.[3] ?? prefix).toUpperCase();
    const lead = colon === null ? "" : `${colon[1]}${colon[2]}`;
    return candidates(pkg, colon?.[2] === ":")
      .filter((symbol) => symbol.name.startsWith(start))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, limit)
      .map((symbol) => ({ name: lead + symbol.name.toLowerCase(), kind: this.kindOf(symbol) }));
  }

  private kindOf(symbol: LSymbol): Completion["kind"] {
    if (this.image.specialOperator(symbol) !== null) return "special";
    if (symbol.macro !== null) return "macro";
    if (symbolFunction(symbol) !== null) return "function";
    return symbol.kind === "lexical" ? "symbol" : "variable";
  }

  /** Lambda list of the function or macro of that name as text in lower case, or null. */
  argumentList(name: string, packageName = this.currentPackage): string | null {
    const symbol = this.findSymbol(name, packageName);
    const fn = symbol === null ? null : (symbol.macro ?? symbolFunction(symbol));
    if (fn === null) return null;
    const { lambdaList } = fn.info;
    if (typeof lambdaList === "string") return `(${lambdaList.toLowerCase()})`;
    return this.print(lambdaList).toLowerCase();
  }

  /** Documentation and definition place of a function or macro, or null when there is none of that name. */
  describe(
    name: string,
    packageName = this.currentPackage,
  ): { readonly documentation: string | null; readonly location: SourceLocation | null } | null {
    const symbol = this.findSymbol(name, packageName);
    const fn = symbol === null ? null : (symbol.macro ?? symbolFunction(symbol));
    if (fn === null) return null;
    this.image.stubs.get(fn)?.();
    const { documentation, location } = fn.info;
    return { documentation: documentation instanceof LString ? documentation.toJS() : null, location };
  }

  private findSymbol(name: string, packageName: string): LSymbol | null {
    const parts = /^(?:(.*?)::?)?(.*)$/.exec(name.toUpperCase())!;
    return this.image.findPackage(parts[1] ?? packageName)?.lookup(parts[2]!) ?? null;
  }

  /** Printed form of a value, bounded in length and depth; it says what is left out. */
  print(value: LispValue, length = 2_000): string {
    return (this.image.runtime.callNow(this.fn("SYS:PREVIEW-TEXT"), value, length) as LString).toJS();
  }
}

function valueReports(values: LispValue, previews: LispValue): ValueReport[] {
  const texts = listToArray(previews)!;
  return listToArray(values)!.map((value, i) => {
    const [text, omitted] = listToArray(texts[i]!)!;
    return {
      value,
      preview: (text as LString).toJS(),
      omitted: omitted instanceof LString ? omitted.toJS() : "",
    };
  });
}

function conditionReport(unhandled: UnhandledReport, location: SourceLocation | null): ConditionReport {
  return {
    type: unhandled.type,
    text: unhandled.text,
    slots: unhandled.slots,
    restarts: unhandled.restarts.map(({ name, text, parameters }, index) => ({
      index,
      name,
      text,
      parameters,
    })),
    condition: unhandled.condition,
    location,
  };
}

/** As whoever chooses is shown it. What the evaluation ends with is the condition alone. */
function noted(report: ConditionReport, note: string): ConditionReport {
  return { ...report, text: `${report.text}\n${note}` };
}

function candidates(pkg: LPackage, externalOnly: boolean): LSymbol[] {
  const own = [...pkg.external.values()];
  if (externalOnly) return own;
  return [...own, ...pkg.internal.values(), ...pkg.uses.flatMap((used) => [...used.external.values()])];
}

/** A new image with the whole library. `port` is what it may use of the machine; default: everything. */
export function createImage(port?: HostPort): LispImage {
  return new LispImage(port === undefined ? bootImage() : bootImage(port));
}
