// Package models turns logs and recorded histories into models: overload
// classifiers, job classes, container-release rates, launch latencies and
// allocations. Command fit is a thin layer over it.
//
// Every fit returns a result that prints as a table, a JSON document with a
// schema name, and charts; models are JSON files that can be read back.
package models
