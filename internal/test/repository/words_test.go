package repository_test

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const (
	// namesFile lists the packages whose names contain replaced words, with the number of these names. The numbers only fall: the
	// flag -update writes the present ones and refuses a larger one.
	namesFile = "internal/test/repository/testdata/names.txt"
	// maxPronouns is the largest share of the comment lines of a package with a pronoun in place of a noun, in percent.
	maxPronouns = 4
)

var pronouns = regexp.MustCompile(`(?i)\b(what|who|whom|those|such|nobody|somebody)\b`)

// pronounLines returns the number of comment lines in a file, and the number of those lines with a pronoun.
func pronounLines(file *ast.File) (lines, bad int) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:") {
				continue
			}
			for line := range strings.Lines(comment.Text) {
				lines++
				if pronouns.MatchString(line) {
					bad++
				}
			}
		}
	}
	return lines, bad
}

// nameWords returns the words of an identifier in lower case: "toTheEnd" has to, the and end.
func nameWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	letters := []rune(name)
	for i, r := range letters {
		if r == '_' {
			end()
			continue
		}
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// declaredNames returns the names of the functions, types, fields and methods of interfaces that a file declares.
func declaredNames(file *ast.File) []string {
	var names []string
	fields := func(list *ast.FieldList) {
		for _, field := range list.List {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name.Name)
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.StructType:
			fields(n.Fields)
		case *ast.InterfaceType:
			fields(n.Methods)
		}
		return true
	})
	return names
}

// replacedWords returns the words of the last table of the glossary.
func replacedWords(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "\n## Replaced words\n")
	words := make(map[string]bool)
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z, ]+) \| `).FindAllStringSubmatch(table, -1) {
		for word := range strings.SplitSeq(row[1], ", ") {
			words[word] = true
		}
	}
	delete(words, "word") // the head of the table
	if len(words) < 20 {
		t.Fatalf("the glossary has %d replaced words", len(words))
	}
	return words
}

// readExceptions reads a list of packages with numbers.
func readExceptions(t *testing.T, file string) map[string]int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		pkg, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if list[pkg], err = strconv.Atoi(number); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return list
}

// checkExceptions compares the exceptions of each package with the list in a file, whose numbers only fall.
func checkExceptions(t *testing.T, file string, got map[string]int, explain func(pkg string) string) {
	t.Helper()
	listed := readExceptions(t, file)
	var b strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(got)) {
		if got[pkg] > listed[pkg] {
			t.Errorf("%s has %d exceptions, and %s permits %d: %s", pkg, got[pkg], file, listed[pkg], explain(pkg))
		}
		fmt.Fprintln(&b, pkg, min(got[pkg], listed[pkg]))
	}
	for pkg := range listed {
		if got[pkg] < listed[pkg] && !*update {
			t.Errorf("%s has %d exceptions, and %s still permits %d; run this test with -update", pkg, got[pkg], file, listed[pkg])
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestComments_Pronouns keeps the share of comment lines with a pronoun in place of a noun at 4 percent in each package.
func TestComments_Pronouns(t *testing.T) {
	lines, bad := make(map[string]int), make(map[string]int)
	files, _ := allSources(t)
	for _, s := range files {
		l, b := pronounLines(s.file)
		lines[path.Dir(s.name)] += l
		bad[path.Dir(s.name)] += b
	}
	for pkg, n := range bad {
		if 100*n > maxPronouns*lines[pkg] {
			t.Errorf("%s: %d of %d comment lines contain one of the words %s, and at most %d %% may; write the noun", pkg, n, lines[pkg], pronouns, maxPronouns)
		}
	}
}

// TestNames_Replaced keeps the replaced words of the glossary out of new names.
func TestNames_Replaced(t *testing.T) {
	words := replacedWords(t)
	got, names := make(map[string]int), make(map[string][]string)
	files, _ := allSources(t)
	for _, s := range files {
		pkg := path.Dir(s.name)
		for _, declared := range declaredNames(s.file) {
			if slices.ContainsFunc(nameWords(declared), func(word string) bool { return words[word] }) {
				got[pkg]++
				names[pkg] = append(names[pkg], declared)
			}
		}
	}
	checkExceptions(t, namesFile, got, func(pkg string) string {
		return fmt.Sprintf("docs/glossary.md replaces words of %q", names[pkg])
	})
}

func TestNameWords_Cases(t *testing.T) {
	for name, want := range map[string]string{"toTheEnd": "to the end", "HTTPServer": "http server", "openURL": "open url", "Test_x": "test x", "ID": "id"} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("%s has the words %q, want %q", name, got, want)
		}
	}
}
