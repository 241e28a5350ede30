// Package report prints and writes the results of studies and simulations: summary with
// the verdict, tables of the terminal, output folder with queue file, rollback and report
// page, scheduler comparisons, resource usage by queue and user, and a page that shows a
// running study.
package report
