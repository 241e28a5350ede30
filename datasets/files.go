package datasets

import "embed"

// DayNight are the files of daynight/: queue file, nodes and a trace of four weeks of a
// small cluster with a day and a night (README.md).
//
//go:embed daynight/capacity-scheduler.xml daynight/nodes.csv daynight/weeks.json
var DayNight embed.FS
