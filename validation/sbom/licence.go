package sbom

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// known are licences by phrases of their texts, all of which must be there. A
// file with several is under all of them; of one identifier's forms the first
// counts, and BSD-2-Clause only where BSD-3-Clause does not.
var known = []struct {
	id      string // SPDX
	phrases []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license", "version 2.0"}},
	{"EPL-1.0", []string{"eclipse public license", "v 1.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "may not be used to endorse"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"MIT", []string{"permission is hereby granted, free of charge"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software"}},
}

// licence names the licence of a module's folder by its SPDX identifier.
func licence(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("is not in the module cache: run go mod download")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if id := identify(string(text)); id != "" {
			return id, nil
		}
	}
	return "", fmt.Errorf("no licence that is known in %s", dir)
}

// identify returns an SPDX expression, empty if nothing is known of the text.
func identify(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	var ids []string
	for _, k := range known {
		fits := true
		for _, p := range k.phrases {
			fits = fits && strings.Contains(text, p)
		}
		if fits && !slices.Contains(ids, k.id) && !(k.id == "BSD-2-Clause" && slices.Contains(ids, "BSD-3-Clause")) {
			ids = append(ids, k.id)
		}
	}
	return strings.Join(ids, " AND ")
}
