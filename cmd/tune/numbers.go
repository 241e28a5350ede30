package main

import (
	"strings"

	"schedtune/internal/text"
)

// number prints a value as the charts do, for a terminal: with the minus sign that
// the rest of the output has and that scripts read.
func number(v float64) string { return hyphen(text.Number(v)) }

// duration is number of seconds, with a unit.
func duration(s float64) string { return hyphen(text.Duration(s)) }

func hyphen(figure string) string { return strings.ReplaceAll(figure, "−", "-") }
