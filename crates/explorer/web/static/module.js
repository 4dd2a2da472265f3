// The module comes in two builds, with and without SIMD. A browser fetches the one that suits it. The npm
// package has this file too.

/** A module with one function, which makes a vector. */
const VECTOR = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];

/** The name of the build for this browser. */
export const MODULE = globalThis.WebAssembly?.validate(new Uint8Array(VECTOR)) ? "fanorona_simd.wasm" : "fanorona_bg.wasm";
