// Package text formats text for people: columns, numbers, percentages, the nearest of
// several words, the program's version. CPU times of benchmarks are here too.
package text
