// Package schedtune is the root of the module; it holds the test that keeps the
// import rules of ARCHITECTURE.md, and the source text that tells one state of
// the code from another.
package schedtune
