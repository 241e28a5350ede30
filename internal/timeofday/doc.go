// Package timeofday finds and judges settings by time of day: two queue files that a
// refresh exchanges at set times, against the best single file on days held out.
package timeofday
