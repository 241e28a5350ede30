#!/bin/sh
# Writes weeks.json: four weeks of a cluster with a day and a night, for the generator
# that the trace reader has (the form of Hadoop's load simulator). By day short
# interactive jobs and batch jobs of long tasks, at night large batch jobs.
bins() { # FROM TO: hours of every day
	d=0
	while [ $d -lt 28 ]; do
		printf '{"time": %d, "weight": 1}, {"time": %d, "weight": 0}, ' $((d * 86400 + $1 * 3600)) $((d * 86400 + $2 * 3600))
		d=$((d + 1))
	done
	printf '{"time": %d, "weight": 0}' $((28 * 86400))
}
class() { # NAME USER TASKS SECONDS DEVIATION
	printf '{"class_name": "%s", "user_name": "%s", "class_weight": 1, "type": "mapreduce", "tasks": [{"type": "map", "count": {"val": %s}, "time": {"val": %s000, "std": %s000}, "max_memory": {"val": 1024}, "max_vcores": {"val": 1}}]}' "$@"
}
workload() { # NAME WEIGHT QUEUE FROM TO, then class
	printf '{"workload_name": "%s", "workload_weight": %s, "queue_name": "%s",\n "job_classes": [%s],\n "time_distribution": [' "$1" "$2" "$3" "$6"
	bins "$4" "$5"
	printf ']}'
}
{
	printf '{"description": "four weeks with a day and a night", "num_nodes": 4, "nodes_per_rack": 4, "num_jobs": 4536, "rand_seed": 2026, "workloads": [\n'
	workload interactive 150 interactive 8 20 "$(class query ann 12 30 10)"
	printf ',\n'
	workload reports 8 batch 8 19 "$(class report etl 36 600 20)"
	printf ',\n'
	workload nightly 4 batch 20 22 "$(class build etl 300 600 60)"
	printf '\n]}\n'
} >weeks.json
