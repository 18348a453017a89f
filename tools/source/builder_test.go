package source_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// A message of a parser may quote the text of a file, which has any length.
func TestBuilder_LongProblem(t *testing.T) {
	b := source.NewBuilder([]byte("x"), source.Go)
	b.Problem("found "+strings.Repeat("a", 1<<20), 0)
	problems := b.File("test").Problems
	if len(problems) != 1 || len(problems[0].Message) > 310 || !strings.HasPrefix(problems[0].Message, "found aaa") {
		t.Errorf("the problems are %.400v", problems)
	}
}
