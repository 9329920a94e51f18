/** Bounds of one input: those of the contract, here without its schemas, which the start would pay for. A test compares them. */

/** Most characters. */
export const inputCharacters = 262_144;
/** Most images, and their bytes together. */
export const inputImages = 16;
export const inputImageBytes = 8_388_608;
