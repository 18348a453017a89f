package repository_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/doc"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated parts of documents")

const (
	designFile = "docs/design.md"
	// The table of packages begins with this line and ends with the document.
	tableBegins = "| package | lines | subject |\n|---|---|---|\n"
)

// packageRow describes one package in the table of docs/design.md.
type packageRow struct {
	path, summary string
	lines         int // of its files but tests
}

// packageRows returns all packages of the modules that users import, by path.
func packageRows(t *testing.T) []packageRow {
	t.Helper()
	files, fset := sources(t)
	rows := make(map[string]*packageRow)
	for _, s := range files {
		dir := path.Dir(s.name)
		if layer, _ := layerOf(dir); layer < 0 || layers[layer].name == "programs" || strings.Contains(dir, "testdata") {
			continue
		}
		row := rows[dir]
		if row == nil {
			row = &packageRow{path: dir}
			rows[dir] = row
		}
		row.lines += fset.Position(s.file.FileEnd).Line
		if s.file.Doc != nil {
			row.summary = summary(new(doc.Package).Synopsis(s.file.Doc.Text()))
		}
	}
	all := make([]packageRow, 0, len(rows))
	for _, row := range rows {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b packageRow) int {
		x, _ := layerOf(a.path)
		y, _ := layerOf(b.path)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.path, b.path))
	})
	return all
}

// summary returns the first sentence of a package comment without "Package name".
func summary(sentence string) string {
	sentence = regexp.MustCompile(`^(Package|Command) \S+ `).ReplaceAllString(sentence, "")
	return strings.ReplaceAll(strings.TrimSuffix(sentence, "."), "|", "\\|")
}

// designTable returns the table of packages, with a row for each layer that sums up its lines.
func designTable(rows []packageRow) string {
	var b strings.Builder
	sums := make(map[int]int)
	for _, row := range rows {
		layer, _ := layerOf(row.path)
		sums[layer] += row.lines
	}
	b.WriteString(tableBegins)
	last := -1
	for _, row := range rows {
		if layer, _ := layerOf(row.path); layer != last {
			last = layer
			fmt.Fprintf(&b, "| **%s** | **%d** | |\n", layers[layer].name, sums[layer])
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", row.path, row.lines, row.summary)
	}
	return b.String()
}

// TestDesign_ListsAllPackages compares the table of packages in docs/design.md with the tree. Lines may differ by a quarter, or by 100.
func TestDesign_ListsAllPackages(t *testing.T) {
	rows := packageRows(t)
	data, err := os.ReadFile(designFile)
	if err != nil {
		t.Fatal(err)
	}
	before, table, found := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), tableBegins)
	if !found {
		t.Fatalf("%s has no table of packages, which begins with %q", designFile, tableBegins)
	}
	if *update {
		if err := os.WriteFile(designFile, []byte(before+designTable(rows)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed := make(map[string]packageRow)
	for _, m := range regexp.MustCompile("(?m)^\\| `(.+?)` \\| (\\d+) \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		lines, _ := strconv.Atoi(m[2])
		listed[m[1]] = packageRow{m[1], m[3], lines}
	}
	for _, row := range rows {
		got, ok := listed[row.path]
		delete(listed, row.path)
		switch {
		case row.summary == "":
			t.Errorf("%s has no package comment", row.path)
		case !ok:
			t.Errorf("%s does not list %s; run this test with -update", designFile, row.path)
		case got.summary != row.summary:
			t.Errorf("%s says of %s %q, its package comment says %q; run this test with -update", designFile, row.path, got.summary, row.summary)
		case max(got.lines-row.lines, row.lines-got.lines) > max(100, row.lines/4):
			t.Errorf("%s says that %s has %d lines, and it has %d; run this test with -update", designFile, row.path, got.lines, row.lines)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		t.Errorf("%s lists %s, which does not exist; run this test with -update", designFile, name)
	}
}
