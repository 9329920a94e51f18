/**
 * Slots that waiting jobs lend. A job has one slot: however many waits of it run at once, the slot is lent with the first and asked back
 * after the last.
 */
import type { ExecutionId } from "../contract/identifiers.ts";

/** A slot that was lent; `regain` resolves when it counts again. */
export type LentSlot = { regain(signal?: AbortSignal): Promise<void> };

type Loan = {
  waits: number;
  readonly slot: LentSlot | undefined;
  /** Set while the slot is being asked back: a wait that begins now comes after that. */
  regaining: Promise<void> | undefined;
};

export class SlotLoans {
  readonly #loans = new Map<ExecutionId, Loan>();
  readonly #report: (error: unknown) => void;

  /** `report` is told when a slot could not be regained although nothing aborted that. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Settles as `wait` does, with the slot of `lender` lent until then. `lend` answers undefined where nothing is claimed. */
  async during<Result>(
    lender: ExecutionId,
    lend: () => LentSlot | undefined,
    wait: Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    // Awaited below; a rejection that comes before must not count as unhandled.
    wait.catch(() => undefined);
    const loan = await this.#join(lender, lend);
    try {
      return await wait;
    } finally {
      loan.waits -= 1;
      if (loan.waits === 0) await this.#regain(lender, loan, signal);
    }
  }

  async #join(lender: ExecutionId, lend: () => LentSlot | undefined): Promise<Loan> {
    for (;;) {
      const open = this.#loans.get(lender);
      if (open?.regaining !== undefined) {
        await open.regaining;
        continue;
      }
      const loan = open ?? { waits: 0, slot: lend(), regaining: undefined };
      loan.waits += 1;
      this.#loans.set(lender, loan);
      return loan;
    }
  }

  async #regain(lender: ExecutionId, loan: Loan, signal: AbortSignal | undefined): Promise<void> {
    loan.regaining = (loan.slot?.regain(signal) ?? Promise.resolve())
      .catch((error: unknown) => {
        if (signal?.aborted !== true) this.#report(error);
      })
      .finally(() => this.#loans.delete(lender));
    await loan.regaining;
  }
}
