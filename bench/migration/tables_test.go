package migration

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Both columns of the tables must be code that this package compiles.
func TestTables_Compile(t *testing.T) {
	for page, files := range map[string][2]string{
		"from-go-sdk.md": {"gosdk_old_test.go", "gosdk_new_test.go"},
		"from-mcp-go.md": {"mcpgo_old_test.go", "gosdk_new_test.go mcpgo_new_test.go"},
	} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile("../../docs/guide/" + page)
			if err != nil {
				t.Fatal(err)
			}
			problems, rows := checkTables(string(text), readCode(t, files[0]), readCode(t, files[1]))
			for _, problem := range problems {
				t.Error(problem)
			}
			if rows < 30 {
				t.Errorf("%d rows were checked", rows)
			}
		})
	}
}

// A span of code that no file has is a problem, in both columns.
func TestTables_WrongCode(t *testing.T) {
	const page = "| go-sdk | dougu |\n|---|---|\n| `old(1)` | `new(1)` |\n| `old(2)` | `new(…)`, words, `new(2)` |\n"
	problems, rows := checkTables(page, "x := old(1)", "new( 1 )")
	if len(problems) != 2 || rows != 2 || !strings.Contains(problems[0], "old(2)") || !strings.Contains(problems[1], "new(2)") {
		t.Errorf("%q in %d rows", problems, rows)
	}
}

// readCode returns the text of files without blanks.
func readCode(t *testing.T, names string) string {
	t.Helper()
	var code strings.Builder
	for name := range strings.FieldsSeq(names) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	return code.String()
}

// checkTables returns the code in tables with the columns old and new that the code of these columns does not have, and the number of
// rows. Blanks do not count, and … stands for any text in a line.
func checkTables(page, left, right string) (problems []string, rows int) {
	inTable := false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case strings.HasSuffix(strings.TrimSpace(line), "| dougu |"):
			inTable = true
		case inTable && len(cells) == 2 && !strings.HasPrefix(line, "|---"):
			rows++
			for i, code := range []string{left, right} {
				for _, span := range regexp.MustCompile("`+([^`]+)`+").FindAllStringSubmatch(cells[i], -1) {
					if !hasCode(code, span[1]) {
						problems = append(problems, fmt.Sprintf("no file has the code %s", span[1]))
					}
				}
			}
		case inTable && len(cells) != 2:
			problems = append(problems, "a row does not have two cells: "+line)
		}
	}
	return problems, rows
}

// hasCode reports whether code has a line with the span.
func hasCode(code, span string) bool {
	blanks := regexp.MustCompile(`[ \t]+`)
	pattern := strings.ReplaceAll(regexp.QuoteMeta(blanks.ReplaceAllString(span, "")), "…", ".*")
	return regexp.MustCompile(pattern).MatchString(blanks.ReplaceAllString(code, ""))
}
