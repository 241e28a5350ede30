package schedtune

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// printsOf lists where a file that is no command calls fmt.Print, Printf or Println.
func printsOf(fset *token.FileSet, file *ast.File) (places []string) {
	if file.Name.Name == "main" {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Print") {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "fmt" {
				places = append(places, fset.Position(s.Pos()).String())
			}
		}
		return true
	})
	return places
}

// Libraries do not print: commands write to the streams that they are given.
func TestLibrariesDoNotPrint(t *testing.T) {
	fset, files := token.NewFileSet(), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		for _, place := range printsOf(fset, file) {
			t.Errorf("%s: got fmt.Print in a library, want none", place)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("got %d files, error %v, want those of the module", files, err)
	}
}

func TestPrintsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"package a\nimport \"fmt\"\nfunc f() { fmt.Println(1); _ = fmt.Sprint(2) }": 1,
		"package main\nimport \"fmt\"\nfunc main() { fmt.Println(1) }":              0,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := printsOf(fset, file); len(got) != want {
			t.Errorf("got prints %q, want %d", got, want)
		}
	}
}
