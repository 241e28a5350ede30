// Package fileio reads and writes files safely: errors that name file, line and key
// (FileError), input with stated limits on size, depth, length and time, compressed text
// with byte order marks, Hadoop's XML in the encodings that occur, and output folders
// that are never half-written and belong to one process at a time.
package fileio
