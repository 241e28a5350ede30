package diagnose

import (
	"schedtune/internal/text"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

// LimitsDocument is the document of tune explain.
type LimitsDocument struct {
	Schema     string          `json:"schema"`
	File       string          `json:"file"`
	Queue      string          `json:"queue"`
	User       string          `json:"user"`
	Nodes      int             `json:"nodes"`
	Memory     int64           `json:"memory_mib"`
	VCores     int64           `json:"vcores"`
	Guaranteed int64           `json:"guaranteed_mib"`
	Maximum    int64           `json:"maximum_mib"`
	Container  int64           `json:"container_mib"`
	AM         int64           `json:"am_mib"`
	Growth     []documentLimit `json:"growth"`    // count = containers, tightest first
	Running    []documentLimit `json:"running"`   // count = applications at a time
	Admission  []documentLimit `json:"admission"` // count = applications accepted
	Sharing    []shareJSON     `json:"sharing"`
	Findings   []string        `json:"findings"`
	Advice     []adviceJSON    `json:"advice"`
	Trace      *Load           `json:"trace"`

	Label      string            `json:"label,omitempty"` // of the nodes looked at
	Partitions []partTermsJSON   `json:"partitions"`
	Placed     []placement.Step  `json:"placed_by"`
	Made       bool              `json:"made_on_first_use"`
	Template   map[string]string `json:"template"`

	Refusal     string `json:"refusal,omitempty"`    // why a submission is refused
	MasterLabel string `json:"am_label,omitempty"`   // of the nodes for application masters
	Beside      *int64 `json:"room_for_a_container"` // of the applications that run at a time; null: no limit

	OffSwitch Rate `json:"off_switch"`
}

type partTermsJSON struct {
	Label      string `json:"label"`
	Nodes      int    `json:"nodes"`
	Memory     int64  `json:"memory_mib"`
	Shared     bool   `json:"shared"`
	Access     bool   `json:"access"`
	Guaranteed int64  `json:"guaranteed_mib"`
	Maximum    int64  `json:"maximum_mib"`
	LoneUser   int64  `json:"lone_user_mib"`
	Masters    int64  `json:"masters_mib"`
}

type documentLimit struct {
	What     string  `json:"limit"`
	Count    *int64  `json:"count"` // null = no limit
	Memory   int64   `json:"memory_mib,omitempty"`
	VCores   int64   `json:"vcores,omitempty"`
	Share    float64 `json:"cluster_share,omitempty"`
	Property string  `json:"property"`
	Value    string  `json:"value"`
	Line     int     `json:"line,omitempty"`
}

type shareJSON struct {
	Users  int     `json:"users"`
	Memory int64   `json:"memory_mib"`
	Share  float64 `json:"cluster_share"`
}

type adviceJSON struct {
	For     string        `json:"for"`
	Changes []advisedJSON `json:"changes"`
	After   documentLimit `json:"after"`
}

type advisedJSON struct {
	Property string `json:"property"`
	Present  string `json:"present"`
	Value    string `json:"value"`
	Restart  string `json:"restart,omitempty"`
}

// Document returns the document of tune explain for a file.
func (a *LimitsAnswer) Document(path string) LimitsDocument {
	out := LimitsDocument{Schema: text.SchemaExplain, File: path, Queue: a.Queue, User: a.User, Nodes: a.Nodes,
		Memory: a.Total.Memory, VCores: a.Total.VCores, Guaranteed: a.Guaranteed.Memory, Maximum: a.Most.Memory,
		Container: a.Container.Memory, AM: a.AM.Memory, Growth: documentLimits(a.Growth), Running: documentLimits(a.Running),
		Admission: documentLimits(a.Admission), Findings: append([]string{}, a.Findings...), Sharing: []shareJSON{},
		Advice: []adviceJSON{},
		Trace:  a.Load, OffSwitch: a.Rate, Placed: a.Placed}
	out.Label, out.Made, out.Refusal, out.MasterLabel = a.Label, a.Made, a.Refusal, a.MasterLabel
	if a.Beside != Unlimited {
		out.Beside = &a.Beside
	}
	if a.Made {
		out.Template = ChangeMap(a.Template)
	}
	for _, p := range a.Partitions {
		out.Partitions = append(out.Partitions, partTermsJSON{p.Label, p.Nodes, p.Total.Memory, p.Label != "" &&
			!p.Exclusive, p.Access, p.Guaranteed.Memory, p.Most.Memory, p.LoneUser.Memory, p.Masters.Memory})
	}
	for _, s := range a.Sharing {
		out.Sharing = append(out.Sharing, shareJSON{s.Users, s.Limit.Memory, s.Of})
	}
	for _, ad := range a.Advice {
		j := adviceJSON{For: ad.For, After: limitOf(ad.After)}
		for _, c := range ad.Changes {
			j.Changes = append(j.Changes, advisedJSON{c.Key, c.Present, c.Value, c.Restart})
		}
		out.Advice = append(out.Advice, j)
	}
	return out
}

func documentLimits(ls []Limit) []documentLimit {
	out := []documentLimit{}
	for _, l := range ls {
		out = append(out, limitOf(l))
	}
	return out
}

func limitOf(l Limit) documentLimit {
	j := documentLimit{What: l.What, Memory: l.Resource.Memory, VCores: l.Resource.VCores, Share: l.Share, Property: l.Key, Value: l.Value,
		Line: l.Line}
	if l.Count != Unlimited {
		j.Count = &l.Count
	}
	return j
}

// ChangeMap returns the values of changes by property.
func ChangeMap(changes []yarnconf.Change) map[string]string {
	m := map[string]string{}
	for _, ch := range changes {
		m[ch.Key] = ch.Value
	}
	return m
}
