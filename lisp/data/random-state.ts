/** State of the random number generator: four 32-bit words. The generator is in `lisp/numbers`. */
export class RandomState {
  readonly words: Uint32Array;
  constructor(words: Uint32Array) {
    this.words = words;
  }
}
