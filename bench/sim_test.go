package main

import (
	"testing"

	"schedtune/tune"
)

func BenchmarkSimulator(b *testing.B) {
	ps, err := simProblems(400)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range ps {
		b.Run(p.name, func(b *testing.B) {
			set := p.space.PresentSettings()
			b.Log("dim", p.space.Dim(), "present", p.truth(set))
			s := uint64(0)
			for b.Loop() {
				s++
				p.run(set, s)
			}
		})
	}
	_ = tune.PartRace
}
