/** A carrier of mail in memory that can lose what it holds, offer letters twice, and be away. */
import type { PeerLetter, PeerTransport } from "../../../orchestrator/peers/peer-transport.ts";

type Attendant = { readonly take: (letter: PeerLetter) => Promise<void>; reading: Promise<void> };

export class MemoryTransport implements PeerTransport {
  readonly #boxes = new Map<string, PeerLetter[]>();
  readonly #attendants = new Map<string, Attendant>();
  readonly #returned = new Set<() => void>();
  isAway = false;
  /** Every letter is offered twice. */
  isRepeating = false;

  post(session: string, letter: PeerLetter): Promise<void> {
    if (this.isAway) return Promise.reject(new Error("the carrier is away"));
    const box = this.#boxes.get(session) ?? [];
    this.#boxes.set(session, box);
    box.push(letter, ...(this.isRepeating ? [letter] : []));
    this.#wake(session);
    return Promise.resolve();
  }

  attend(session: string, take: (letter: PeerLetter) => Promise<void>): Promise<{ close(): Promise<void> }> {
    const attendant: Attendant = { take, reading: Promise.resolve() };
    this.#attendants.set(session, attendant);
    this.#wake(session);
    return Promise.resolve({
      close: async () => {
        if (this.#attendants.get(session) === attendant) this.#attendants.delete(session);
        await attendant.reading;
      },
    });
  }

  onReturn(listener: () => void): () => void {
    this.#returned.add(listener);
    return () => this.#returned.delete(listener);
  }

  /** Loses all letters, as a store without persistence does, and comes back. */
  lose(): void {
    this.#boxes.clear();
    this.comeBack();
  }

  comeBack(): void {
    this.isAway = false;
    for (const listener of this.#returned) listener();
    for (const session of this.#attendants.keys()) this.#wake(session);
  }

  /** Resolves when no letter is on its way to anybody who attends. */
  async quiet(): Promise<void> {
    for (let rounds = 0; rounds < 20; rounds += 1) {
      for (const { reading } of this.#attendants.values()) await reading;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #wake(session: string): void {
    const attendant = this.#attendants.get(session);
    if (attendant === undefined) return;
    attendant.reading = attendant.reading.then(async () => {
      for (;;) {
        const [letter] = this.#boxes.get(session) ?? [];
        if (letter === undefined || this.#attendants.get(session) !== attendant) return;
        try {
          await attendant.take(letter);
        } catch {
          return;
        }
        this.#boxes.get(session)?.shift();
      }
    });
  }
}
