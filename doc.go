// Package schedtune is the root of the module; it holds only the test that
// keeps the import rules of ARCHITECTURE.md.
package schedtune
