/** Definitions of a session's own image: installed, kept, put back, published, and replayed when an image starts. */
import { createHash, randomBytes } from "node:crypto";
import { AutolithError, failureOf } from "../contract/failure.ts";
import type {
  HostCalls,
  LispCondition,
  LispDecision,
  LispImage,
  LispJson,
  LispResult,
} from "../contract/lisp-image.ts";
import { callLisp } from "../prompt/lisp-calls.ts";
import type { ImageCommit, MutationStore } from "./mutation-store.ts";
import {
  type DefinedName,
  type Mutation,
  type SkipReason,
  definitionCharacterLimit,
  exerciseTextCharacters,
  skipReason,
} from "./mutation.ts";

/** Observations kept of one mutation. */
export const exercisesPerMutation = 16;
/** Most characters of a value's print in what a tool answers. */
const valueCharacters = 4_000;

/** A restart that is taken when a condition offers it, and the form of its argument. */
export type RestartChoice = { readonly name: string | undefined; readonly value: string | undefined };

export type Skipped = { readonly mutation: Mutation; readonly reason: SkipReason; readonly detail: string };

export type SelfModificationParts = {
  readonly store: MutationStore;
  readonly image: () => Promise<LispImage>;
  /** Answers what Lisp calls while it evaluates. */
  readonly calls: () => HostCalls;
  readonly now: () => number;
};

type Look = DefinedName & { readonly shadows: string | undefined };

export class SelfModification {
  readonly #parts: SelfModificationParts;
  #skipped: readonly Skipped[] = [];
  /** Definitions that the image made by itself have this number at most. */
  #builtIn = 0;

  constructor(parts: SelfModificationParts) {
    this.#parts = parts;
  }

  /** What was left out when the image started. */
  get skipped(): readonly Skipped[] {
    return this.#skipped;
  }

  get store(): MutationStore {
    return this.#parts.store;
  }

  /** Replays the current commit, then what is not committed, into a new image. Rejects for files that cannot be read. */
  async replay(image: LispImage): Promise<void> {
    this.#builtIn = (await image.journal()).at(-1)?.sequence ?? 0;
    const commit = await this.#parts.store.current();
    const skipped: Skipped[] = [];
    for (const mutation of [...(commit?.definitions ?? []), ...(await this.#parts.store.pending())]) {
      const left = await this.#replayed(image, mutation);
      if (left !== undefined) skipped.push(left);
    }
    this.#skipped = skipped;
  }

  async #replayed(image: LispImage, mutation: Mutation): Promise<Skipped | undefined> {
    try {
      const look = await this.#look(image, mutation);
      const reason = skipReason(mutation, { owner: look.owner, identity: look.shadows });
      // What this replay defined itself is no built-in definition.
      const isOurs = look.shadows !== undefined && (await this.#isOwn(image, mutation));
      if (reason !== undefined && !isOurs) return { mutation, reason, detail: "" };
      const result = await image.evaluate(mutation.source, {
        package: mutation.package,
        onCall: this.#parts.calls(),
      });
      if (result.kind === "values") return undefined;
      return { mutation, reason: "failed", detail: endText(result) };
    } catch (error) {
      return { mutation, reason: "failed", detail: failureOf(error).message };
    }
  }

  /** Evaluates a form; its values as text. Rejects with `lisp-condition`. */
  async evaluate(
    form: string,
    packageName: string,
    restart: RestartChoice,
    signal: AbortSignal,
  ): Promise<string> {
    const result = await (
      await this.#parts.image()
    ).evaluate(form, {
      package: packageName,
      previewLength: valueCharacters,
      onCall: this.#parts.calls(),
      onCondition: (condition) => Promise.resolve(chosenRestart(condition, restart)),
      signal,
    });
    if (result.kind !== "values") throw evaluationFailure(result);
    return result.values.map(({ preview }) => preview).join("\n") || "(no values)";
  }

  /** Installs a definition and keeps it for the next commit. */
  async redefine(
    source: string,
    packageName: string,
    restart: RestartChoice,
    signal: AbortSignal,
  ): Promise<Mutation> {
    const image = await this.#parts.image();
    const name = await this.#look(image, { source, package: packageName });
    const id = newId();
    await this.#call(image, "self-remember", id, source, packageName);
    await this.evaluate(source, packageName, restart, signal);
    return this.#keep(image, { id, source, package: packageName, name });
  }

  /** Keeps a definition that the image has already. */
  async persist(source: string, packageName: string): Promise<Mutation> {
    const image = await this.#parts.image();
    const name = await this.#look(image, { source, package: packageName });
    return this.#keep(image, { id: newId(), source, package: packageName, name });
  }

  /** Gives a variable the value of a form. */
  async set(
    symbol: string,
    value: string,
    packageName: string,
    restart: RestartChoice,
    signal: AbortSignal,
  ): Promise<Mutation> {
    const image = await this.#parts.image();
    const id = newId();
    const answer = await this.#call(image, "self-remember-value", id, symbol, packageName);
    const [name, owner, isThere, documentation] = stringsOf(answer);
    const source = `(setf ${symbol} ${value})`;
    await this.evaluate(source, packageName, restart, signal);
    const shadows = isThere === "true" ? identityOf("SET", "", documentation ?? "") : undefined;
    return this.#keep(image, {
      id,
      source,
      package: packageName,
      name: { operator: "SET", name: name ?? "", owner: owner ?? "", shadows },
    });
  }

  /** Puts back what the newest mutation, or the named one, replaced; it is not kept any more. Answers it, and whether the image could. */
  async discard(
    id: string | undefined,
  ): Promise<{ readonly mutation: Mutation; readonly isRestored: boolean }> {
    const pending = await this.#parts.store.pending();
    const mutation = id === undefined ? pending.at(-1) : pending.find((each) => each.id === id);
    if (mutation === undefined) throw unknownMutation(id, pending);
    const image = await this.#parts.image();
    const { value } = await this.#lisp(image, ["self-restore", mutation.id]);
    let isRestored = value === true;
    if (!isRestored && mutation.previous !== undefined)
      isRestored =
        (await image.evaluate(mutation.previous, { package: mutation.package, onCall: this.#parts.calls() }))
          .kind === "values";
    await this.#parts.store.change((all) => all.filter((each) => each.id !== mutation.id));
    return { mutation, isRestored };
  }

  /** Evaluates a form and keeps what came of it with the mutation. */
  async exercise(
    form: string,
    id: string | undefined,
    packageName: string,
    signal: AbortSignal,
  ): Promise<string> {
    const pending = await this.#parts.store.pending();
    const mutation = id === undefined ? pending.at(-1) : pending.find((each) => each.id === id);
    if (mutation === undefined) throw unknownMutation(id, pending);
    const outcome = await this.evaluate(
      form,
      packageName,
      { name: undefined, value: undefined },
      signal,
    ).catch((error: unknown) => failureOf(error).message);
    const text = `${form} ${outcome}`.slice(0, exerciseTextCharacters);
    await this.#parts.store.change((all) =>
      all.map((each) =>
        each.id === mutation.id
          ? { ...each, exercises: [...each.exercises, text].slice(-exercisesPerMutation) }
          : each,
      ),
    );
    return outcome;
  }

  /** Publishes what is kept; what was skipped at the start is left out of it. */
  async commit(title: string): Promise<ImageCommit> {
    const dropped = new Set(this.#skipped.map(({ mutation }) => mutation.id));
    const commit = await this.#parts.store.publish(title, this.#parts.now(), dropped);
    this.#skipped = [];
    return commit;
  }

  async #keep(
    image: LispImage,
    {
      id,
      source,
      package: packageName,
      name,
    }: Pick<Mutation, "id" | "source" | "package"> & { readonly name: Look },
  ): Promise<Mutation> {
    const earlier = (await this.#parts.store.pending()).findLast(
      (each) => each.operator === name.operator && each.name === name.name,
    );
    const previous = earlier?.source ?? (await this.#previousSource(image, name, source));
    const mutation: Mutation = {
      ...name,
      id,
      source,
      package: packageName,
      previous,
      shadows: earlier === undefined ? name.shadows : earlier.shadows,
      at: this.#parts.now(),
      exercises: [],
    };
    await this.#parts.store.change((all) => [...all, mutation]);
    return mutation;
  }

  async #previousSource(image: LispImage, name: DefinedName, source: string): Promise<string | undefined> {
    const entries = (await image.journal()).filter((entry) => isEntryOf(entry, name));
    return entries.findLast((entry) => entry.source.trim() !== source.trim())?.source;
  }

  async #isOwn(image: LispImage, name: DefinedName): Promise<boolean> {
    const entries = await image.journal();
    return entries.some((entry) => entry.sequence > this.#builtIn && isEntryOf(entry, name));
  }

  /** What a definition names, and the identity of what the program itself has there. */
  async #look(
    image: LispImage,
    { source, package: packageName }: Pick<Mutation, "source" | "package">,
  ): Promise<Look> {
    if (source.length > definitionCharacterLimit)
      throw new AutolithError(
        "input-limit",
        `A definition has at most ${definitionCharacterLimit} characters, not ${source.length}.`,
      );
    if (source.startsWith("(setf ")) return this.#lookAtValue(image, source, packageName);
    const answer = await this.#call(image, "self-look", source, packageName);
    const [operator = "", name = "", owner = "", isThere, documentation = "", callable = ""] =
      stringsOf(answer);
    const found = { operator, name, owner };
    if (isThere !== "true" || (await this.#isOwn(image, found))) return { ...found, shadows: undefined };
    const lambdaList = callable === "" ? "" : ((await image.argumentList(callable)) ?? "");
    return { ...found, shadows: identityOf(operator, lambdaList, documentation) };
  }

  async #lookAtValue(image: LispImage, source: string, packageName: string): Promise<Look> {
    const symbol = /^\(setf (\S+)/.exec(source)?.[1] ?? "";
    const answer = await this.#call(image, "self-remember-value", "replay", symbol, packageName);
    const [name = "", owner = "", isThere, documentation = ""] = stringsOf(answer);
    const shadows = isThere === "true" ? identityOf("SET", "", documentation) : undefined;
    return { operator: "SET", name, owner, shadows };
  }

  async #call(image: LispImage, ...call: readonly [name: string, ...args: string[]]): Promise<LispJson> {
    return (await this.#lisp(image, call)).value;
  }

  #lisp(image: LispImage, call: readonly [name: string, ...args: LispJson[]]): ReturnType<typeof callLisp> {
    return callLisp((source, options) => image.evaluate(source, options), call, {
      calls: this.#parts.calls(),
    });
  }
}

function isEntryOf(
  entry: { readonly kind: string; readonly name: string },
  { operator, name }: DefinedName,
): boolean {
  const plain = name.replace(/^.*::?/, "");
  return entry.kind === operator && entry.name.replace(/^.*::?/, "").toUpperCase() === plain.toUpperCase();
}

function identityOf(operator: string, lambdaList: string, documentation: string): string {
  return createHash("sha256")
    .update(JSON.stringify([operator, lambdaList, documentation]))
    .digest("hex")
    .slice(0, 24);
}

function newId(): string {
  return `mutation-${randomBytes(4).toString("hex")}`;
}

function stringsOf(answer: LispJson): readonly string[] {
  return Array.isArray(answer)
    ? (answer as readonly LispJson[]).map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
    : [];
}

function chosenRestart(condition: LispCondition, { name, value }: RestartChoice): LispDecision {
  const wanted = condition.restarts.find((each) => each.name.toLowerCase() === name?.toLowerCase());
  if (name === undefined || wanted === undefined) return { kind: "abort" };
  return { kind: "restart", index: wanted.index, ...(value === undefined ? {} : { arguments: [value] }) };
}

function evaluationFailure(result: Exclude<LispResult, { kind: "values" }>): AutolithError {
  return new AutolithError(result.kind === "cancelled" ? "cancelled" : "lisp-condition", endText(result));
}

function endText(result: Exclude<LispResult, { kind: "values" }>): string {
  if (result.kind === "quit") return "The form asked to end the image; the session goes on.";
  if (result.kind !== "failed") return `${result.kind}: ${result.reason}`;
  const { condition, reason } = result;
  if (condition === null) return reason;
  const restarts = condition.restarts.map(({ name, text }) => `${name.toLowerCase()} (${text})`).join(", ");
  return `${condition.type}: ${condition.text}${restarts === "" ? "" : `\nRestarts: ${restarts}`}`;
}

function unknownMutation(id: string | undefined, pending: readonly Mutation[]): AutolithError {
  const there = pending.map((each) => each.id).join(", ");
  return new AutolithError(
    "unknown-mutation",
    id === undefined
      ? "No mutation waits for a commit."
      : `No mutation ${JSON.stringify(id)} waits for a commit; there ${pending.length === 0 ? "are none" : `are ${there}`}.`,
  );
}
