// Package study tunes one cluster's queue file: it builds the search space from the
// file, draws workloads like the recorded one (circular block bootstrap of the arrivals,
// Politis and Romano 1992), and has package tune search with simulation runs. It also
// finds how few nodes a cluster needs with the current and with a tuned file.
package study
