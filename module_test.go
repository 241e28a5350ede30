package schedtune

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestImportedByAnotherModule builds the Go program of docs/researchers.md in a module of its
// own, which also imports the packages that the page names, and runs it and the page's Python
// reader on a saved model.
func TestImportedByAnotherModule(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/researchers.md")
	if err != nil {
		t.Fatal(err)
	}
	code := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(string(page))
		if m == nil {
			t.Fatalf("docs/researchers.md: got no %s program, want one", language)
		}
		return m[1]
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := buildCommands(t)
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		// The flags of this build stay, so that what it has compiled is not compiled again.
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -p=1", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	own, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", strings.Replace(string(own), "module schedtune", "module paper", 1))
	write("go.sum", string(sums))
	write("main.go", code("go"))
	imports := ""
	for _, p := range regexp.MustCompile("(?s)## Go\n.*?```").FindAllString(string(page), 1) {
		for _, m := range regexp.MustCompile("`([a-z/]+)`[,. ]").FindAllStringSubmatch(p, -1) {
			imports += "\t_ \"schedtune/" + m[1] + "\"\n"
		}
	}
	if n := strings.Count(imports, "\n"); n < 6 {
		t.Fatalf("got %d packages on the page, want six:\n%s", n, imports)
	}
	write("more.go", "package main\n\nimport (\n"+imports+")\n")
	run("go", "mod", "edit", "-require", "schedtune@v0.0.0", "-replace", "schedtune="+root)
	run("go", "build", "-ldflags=-s -w", "-o", "paper", ".")
	log := "load1,cpus,cpu,memory,tasks\n"
	for i := range 300 {
		load := "1"
		if i%3 == 0 {
			load = "5"
		}
		log += load + ",4,0.5,0.4,2\n"
	}
	write("log.csv", log)
	run(filepath.Join(bin, "fit"), "overload", "--log", "log.csv", "--learner", "logistic", "--out", "model", "-q",
		"--compare", "none")
	if out := strings.Fields(run("./paper", "model/model.json")); len(out) != 2 {
		t.Errorf("the program printed %q, want a judgement and a probability", out)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	run(filepath.Join(bin, "fit"), "predict", "--model", "model", "--log", "log.csv", "--out", "rows.csv", "-q")
	write("judge.py", code("python")+`
import csv
columns = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open("log.csv"))]
for r in csv.DictReader(open("rows.csv")):
    if r["line"]:
        assert abs(probability(columns[int(r["line"]) - 2]) - float(r["probability"])) < 1e-9, r
`)
	run("python3", "judge.py")
}
