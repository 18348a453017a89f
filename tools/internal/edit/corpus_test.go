package edit_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/editcorpus"
	"github.com/dougu-go/dougu/tools/internal/edit"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func cases(t testing.TB) []editcorpus.Case {
	t.Helper()
	all, err := editcorpus.Read(os.DirFS("../../fs/testdata/edits"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func editsOf(c editcorpus.Case) []edit.Edit {
	var all []edit.Edit
	for _, e := range c.Edits {
		all = append(all, edit.Edit(e))
	}
	return all
}

// The corpus, without a file system. Package fs has the same with one, and the cases of files that are no text.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		file, err := textfile.Decode(c.Before, textfile.Auto)
		if err != nil && c.Refused() {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			result, err := edit.Plan(file.Content, editsOf(c))
			after := c.Before
			if err == nil {
				changes := make([]textfile.Edit, len(result.Changes))
				for i, change := range result.Changes {
					changes[i] = textfile.Edit(change)
				}
				after, err = file.Apply(changes...)
				if err != nil {
					after = c.Before
				}
			}
			if v := c.Judge(after, err != nil); v != editcorpus.Right {
				t.Fatalf("%v: %v\n%q\nwant %v\n%q", v, err, after, c.Errors, c.After)
			}
			if err != nil {
				checkRefusal(t, c, err)
				return
			}
			if got := result.Applied[len(result.Applied)-1].By.String(); c.By != "" && got != c.By {
				t.Errorf("matched by %s, want %s", got, c.By)
			}
		})
	}
}

func checkRefusal(t *testing.T, c editcorpus.Case, err error) {
	t.Helper()
	var coded interface {
		ErrorCode() string
		NextStep() string
	}
	if !errors.As(err, &coded) || coded.NextStep() == "" || !strings.Contains(" "+strings.Join(c.Errors, " ")+" ", " "+coded.ErrorCode()+" ") {
		t.Fatalf("refused with %v, want %v", err, c.Errors)
	}
	for _, says := range c.Says {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("the refusal does not say %q: %v", says, err)
		}
	}
}
