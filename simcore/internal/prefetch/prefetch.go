// Package prefetch asks the processor for memory before it is needed, where a
// simulation knows what its next events will touch. The language has no such
// instruction, and a load in its place would wait.
package prefetch
