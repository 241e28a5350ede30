package models

// This file reads and writes heartbeat logs: one row per heartbeat of a
// node, with the node's state, the job a task of which was assigned, if any,
// and, where the writer knows it, how it went.
//
// Three forms are read, told apart by their beginning, packed with gzip or
// zstd or not:
//
//   - CSV with a header line, comma-separated, one row per line; a field may be
//     quoted but not contain a line break;
//   - JSON lines, one flat object per heartbeat; the first object's keys are
//     the columns;
//   - polled answers of the ResourceManager's /ws/v1/cluster/nodes, one JSON
//     document per line, bare or as {"t_ms": …, "body": …}; every node of an
//     answer is a row.
//
// Columns with these names have a meaning of their own:
//
//	time      seconds, any origin                              (optional)
//	node      the node's name; its rows are one series         (optional: all rows are one node)
//	job       name of the job or class a task was assigned of  (optional, text)
//	kind      map or reduce                                    (optional, text)
//	decision  0 where nothing was assigned: a state only       (optional, else every row decides)
//	outcome   good or bad, 1 or 0, true or false               (optional, else a label rule decides
//	                                                            from the node's next row)
//
// Every other column is a number and may serve as a feature or in a label rule;
// an empty field is unknown (NaN). Columns whose name starts with job_ are
// features of the job on the scale of 1 to 10, as in Dhok and Varma.
//
// Reading is a stream: memory does not grow with the log. A row that cannot be
// read is passed to the caller with its line number and counted, never dropped
// in silence.
