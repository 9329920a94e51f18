/** One session's advice: sources, what lives on from earlier requests, and what each request carries. */
import type { AdviceEntry } from "../contract/agent-thread.ts";
import { failureOf, type Failure } from "../contract/failure.ts";
import { issuesText } from "../contract/issue-words.ts";
import { withinDeadline } from "../queue/deadline.ts";
import { type Contribution, type SourcedContribution, contributionSchema } from "./contribution.ts";
import { type ContextRule, contributionsOf } from "./context-rule.ts";
import type { RequestSnapshot } from "./request-snapshot.ts";
import { type Selection, adviceText, selectContributions } from "./selection.ts";
import type { TurnTrace } from "./turn-trace.ts";

/** Where contributions come from: asked before every request. What is not a contribution is reported and left out. */
export type AdviceSource = {
  readonly name: string;
  /** `signal` aborts when nobody waits for the answer any more. */
  contribute(request: RequestSnapshot, signal: AbortSignal): Promise<readonly unknown[]> | readonly unknown[];
};

/** A text that keeps the place in history at which it first stood, so that the prompt cache before it stays valid: the skills. */
export type AnchoredSource = {
  readonly name: string;
  /** In order; each keeps its place as long as it is given. */
  texts(request: RequestSnapshot): Promise<readonly AnchoredText[]>;
};
export type AnchoredText = { readonly name: string; readonly text: string };

export type AdviceBoardParts = {
  readonly trace: TurnTrace;
  readonly session: () => Pick<RequestSnapshot, "conversationId" | "workspace" | "role" | "model">;
  /** Rules of files and whatever else counts as one source by nature. */
  readonly sources: readonly AdviceSource[];
  /** What Lisp has registered. */
  readonly registered: () => {
    readonly contributors: readonly AdviceSource[];
    readonly rules: readonly ContextRule[];
  };
  readonly anchored: readonly AnchoredSource[];
  /** Changes when items of the history were removed or replaced (compaction): anchors begin anew. */
  readonly historyGeneration: () => number;
  readonly report: (failure: Failure) => void;
};

/** Time that one source may take for one request, in milliseconds. */
export const adviceSourceTimeoutMs = 1_000;
/** Contributions of one source for one request, at most. */
export const sourceContributionLimit = 32;

export type AdviceStatus = {
  readonly sources: readonly string[];
  readonly rules: readonly ContextRule[];
  /** Of the last request; undefined before the first. */
  readonly last:
    | (Selection & { readonly anchored: readonly { readonly name: string; readonly characters: number }[] })
    | undefined;
};

export class AdviceBoard {
  readonly #parts: AdviceBoardParts;
  readonly #anchors = new Map<string, number>();
  #generation = 0;
  /** Complaints of this turn: each is told once. */
  readonly #told = new Set<string>();
  /** Contributions with lifetime `turn` that were given. */
  #ofTurn: readonly SourcedContribution[] = [];
  #last: AdviceStatus["last"];

  constructor(parts: AdviceBoardParts) {
    this.#parts = parts;
  }

  status(): AdviceStatus {
    const { contributors, rules } = this.#parts.registered();
    return {
      sources: [...this.#parts.sources, ...contributors].map(({ name }) => name),
      rules,
      last: this.#last,
    };
  }

  /** A turn begins: what was given for the last one is over. */
  turnBegan(userText: string): void {
    this.#ofTurn = [];
    this.#told.clear();
    this.#parts.trace.begin(userText);
  }

  /** What the next request carries; its conversation has `itemCount` items. Never rejects: a source that fails is reported and left out. */
  async next(itemCount: number): Promise<readonly AdviceEntry[]> {
    const request = this.#parts.trace.next(this.#parts.session());
    const anchored = await this.#anchoredTexts(request, itemCount);
    const fresh = await this.#contributions(request);
    // What a source gives again replaces what it gave before; what was superseded at its time stays so.
    const identifiers = new Set(fresh.map(({ identifier }) => identifier));
    const lasting = this.#ofTurn.filter(({ identifier }) => !identifiers.has(identifier));
    const selection = selectContributions([...fresh, ...lasting]);
    this.#ofTurn = selection.given.filter(({ lifetime }) => lifetime === "turn");
    this.#last = {
      ...selection,
      anchored: anchored.map(({ name, text }) => ({ name, characters: text.length })),
    };
    const notes = adviceText(selection);
    return [
      ...anchored.map(({ text, position }) => ({ text, position })),
      ...(notes === undefined ? [] : [{ text: notes }]),
    ];
  }

  async #anchoredTexts(
    request: RequestSnapshot,
    itemCount: number,
  ): Promise<readonly { readonly name: string; readonly text: string; readonly position: number }[]> {
    const generation = this.#parts.historyGeneration();
    if (generation !== this.#generation) this.#anchors.clear();
    this.#generation = generation;
    const placed: { name: string; text: string; position: number }[] = [];
    for (const source of this.#parts.anchored)
      for (const { name, text } of (await this.#within(source.name, () => source.texts(request))) ?? [])
        placed.push({ name, text, position: Math.min(this.#anchors.get(name) ?? itemCount, itemCount) });
    this.#anchors.clear();
    for (const { name, position } of placed) this.#anchors.set(name, position);
    return placed;
  }

  async #contributions(request: RequestSnapshot): Promise<readonly SourcedContribution[]> {
    const registered = this.#parts.registered();
    const rules = contributionsOf(registered.rules, request).map((each) => ({ ...each, source: "rule" }));
    const sources = [...this.#parts.sources, ...registered.contributors];
    const answers = await Promise.all(
      sources.map(async (source) => {
        const given = await this.#within(source.name, async (late) => source.contribute(request, late));
        return this.#checked(source.name, given ?? []);
      }),
    );
    return [...rules, ...answers.flat()];
  }

  #checked(source: string, given: readonly unknown[]): readonly SourcedContribution[] {
    if (given.length > sourceContributionLimit)
      this.#complain(source, `it gave ${given.length} notes; the first ${sourceContributionLimit} are taken`);
    return given.slice(0, sourceContributionLimit).flatMap((each) => {
      const parsed = contributionSchema.safeParse(each);
      if (parsed.success) return [{ ...(parsed.data satisfies Contribution), source }];
      this.#complain(source, `a note is not valid: ${issuesText(parsed.error, each)}`);
      return [];
    });
  }

  /** Undefined, and a report, for a source that fails or is late. */
  async #within<Answer>(
    name: string,
    ask: (late: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    let answer: Answer | undefined;
    const late = new AbortController();
    try {
      const asked = ask(late.signal).then((given) => {
        answer = given;
      });
      if ((await withinDeadline(asked, adviceSourceTimeoutMs)) === "deadline") {
        late.abort(`it gave nothing within ${adviceSourceTimeoutMs} ms`);
        // Its failure is the one told of here.
        asked.catch(() => undefined);
        this.#complain(name, `it gave nothing within ${adviceSourceTimeoutMs} ms`);
      }
    } catch (error) {
      this.#complain(name, failureOf(error).message);
    }
    return answer;
  }

  #complain(source: string, problem: string): void {
    const complaint = `${source}: ${problem}`;
    if (this.#told.has(complaint)) return;
    this.#told.add(complaint);
    this.#parts.report({
      code: "advice-source",
      message: `Notes of ${source} were left out of a request: ${problem}.`,
      retry: "terminal",
    });
  }
}
