/** Most characters of one input: the bound of the contract, here without its schemas, which the start would pay for. A test compares them. */
export const inputCharacters = 262_144;
