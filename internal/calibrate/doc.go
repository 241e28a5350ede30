// Package calibrate fits latencies and task durations from recorded histories. Figures
// that a history does not tell keep their built-in values and are named.
package calibrate
