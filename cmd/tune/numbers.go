package main

import (
	"strings"

	"schedtune/internal/text"
)

// number formats a value as the charts do, but with the minus sign of ASCII.
func number(v float64) string { return hyphen(text.Number(v)) }

// duration formats seconds with a unit.
func duration(s float64) string { return hyphen(text.Duration(s)) }

func hyphen(figure string) string { return strings.ReplaceAll(figure, "−", "-") }
