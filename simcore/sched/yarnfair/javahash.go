package yarnfair

import (
	"schedtune/internal/java"
	"schedtune/simcore/yarn"
)

// When a node is lost, the original takes its containers in the order of a Java
// hash table, which decides in what order applications without their master
// end. The order is a function of the ids.

func (c *container) hash() uint32 { return java.HashContainer(c.id, java.HashAttempt(c.app.number)) }

// nameOrder sorts names as a hash set of them is walked, entries of one bucket
// as they are given.
func nameOrder(names []string) []string {
	java.HashSortBy(names, func(s string) string { return s })
	return names
}

// placeHash is the hash of a place's name: of a node, of its host.
func (s *Scheduler) placeHash(p yarn.Place) uint32 {
	if h, ok := s.hosts[p]; ok {
		return h
	}
	return java.HashString(s.NameOfPlace(p))
}

func (k *reqKey) hash() uint32 { return java.HashRequestKey(k.priority, k.alloc) }

// hashOrder sorts containers as a hash table that has held most of them at a
// time is walked.
func hashOrder(cs []*container, most int) []*container {
	java.HashSort(cs, most, func(c *container) (uint32, uint64) { return c.hash(), c.seq })
	return cs
}
