package sbom

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
)

// The table in docs is that of the modules the commands are built from today.
func TestTableIsFresh(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the table is made on Linux; other systems need other modules")
	}
	t.Chdir("../..")
	list, err := modules()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeTable(&b, list); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(have) {
		t.Errorf("docs/licences.md is not that of go.mod: make licences writes it anew. It would be\n%s", b.String())
	}
	for _, m := range list {
		if m.Licence == "" || strings.Contains(m.Licence, "GPL") && m.Tune {
			t.Errorf("%s: licence %q", m.Path, m.Licence)
		}
	}
	var doc bytes.Buffer
	if err := writeSBOM(&doc, list); err != nil {
		t.Fatal(err)
	}
	var read bom
	if err := json.Unmarshal(doc.Bytes(), &read); err != nil || len(read.Components) < 10 ||
		len(read.Components) != len(read.Depends[0].On) {
		t.Errorf("%v, %d components", err, len(read.Components))
	}
	for _, c := range read.Components {
		if strings.Contains(c.Name, "golearn") || c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:golang/") {
			t.Errorf("%+v", c)
		}
	}
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n Version 2.0, January 2004":                                     "Apache-2.0",
		"Permission is hereby granted,\n free of charge, to any":                         "MIT",
		"Redistribution and use in source and binary\nforms, with … Neither the name of": "BSD-3-Clause",
		"Redistribution and use in source and binary forms":                              "BSD-2-Clause",
		"Apache License Version 2.0 … Permission is hereby granted, free of charge":      "Apache-2.0 AND MIT",
		"All rights reserved": "",
	} {
		if got := identify(text); got != want {
			t.Errorf("%.30q: %q, want %q", text, got, want)
		}
	}
}
