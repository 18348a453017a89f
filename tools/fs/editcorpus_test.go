package fs_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/editcorpus"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func editCorpus(t testing.TB) []editcorpus.Case {
	t.Helper()
	all, err := editcorpus.Read(os.DirFS("testdata/edits"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func editArgs(c editcorpus.Case, path string) fs.EditArgs {
	args := fs.EditArgs{Path: path}
	for _, e := range c.Edits {
		args.Edits = append(args.Edits, fs.TextEdit{
			OldText: e.Old, NewText: e.New, ReplaceAll: e.ReplaceAll, ExpectedCount: e.ExpectedCount, NearLine: e.NearLine})
	}
	return args
}

// Every case of the corpus is applied to a file: the resulting bytes are as stated, or the edit is refused.
func TestEdit_Corpus(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, nil)
	score := make(map[editcorpus.Verdict]int)
	all := editCorpus(t)
	for _, c := range all {
		p.put(t, "file", string(c.Before))
		dry := editArgs(c, "file")
		dry.DryRun = true
		would, dryErr := p.Edit(t.Context(), dry)
		if p.bytes(t, "file") != string(c.Before) {
			t.Fatalf("%s: a dry run has written", c.Name())
		}
		got, err := p.Edit(t.Context(), editArgs(c, "file"))
		after := p.bytes(t, "file")
		v := c.Judge([]byte(after), err != nil)
		score[v]++
		if v != editcorpus.Right {
			t.Errorf("%s: %v: %v\n%q\nwant %v\n%q", c.Name(), v, err, after, c.Errors, c.After)
			continue
		}
		if (dryErr == nil) != (err == nil) || would.Diff != got.Diff {
			t.Errorf("%s: a dry run says %v, %s\nbut then it was %v, %s", c.Name(), dryErr, would.Diff, err, got.Diff)
		}
		if err != nil {
			wantOneOf(t, err, c)
			continue
		}
		if by := got.Applied[len(got.Applied)-1].MatchedBy; c.By != "" && by != c.By {
			t.Errorf("%s: matched by %s, want %s", c.Name(), by, c.By)
		}
		if got.SHA256 != digest(after) || got.Size != int64(len(after)) || len(got.Applied) != len(c.Edits) {
			t.Errorf("%s: answered %+v", c.Name(), got)
		}
		checkLocal(t, c, after)
	}
	if len(all) < 220 || score[editcorpus.Right] != len(all) {
		t.Errorf("the score is %v of %d", score, len(all))
	}
	t.Logf("%d of %d cases are right, %d refused though they could be done, %d wrong", score[editcorpus.Right], len(all), score[editcorpus.NotDone], score[editcorpus.Wrong])
}

func wantOneOf(t *testing.T, err error, c editcorpus.Case) {
	t.Helper()
	code := string(security.CodeOf(err))
	if !slices.Contains(c.Errors, code) {
		t.Errorf("%s: refused with %v, want %v", c.Name(), err, c.Errors)
		return
	}
	toolsettest.WantError(t, err, code, c.Says...)
}

// checkLocal checks that an edit of one place changes no more lines than it names.
func checkLocal(t *testing.T, c editcorpus.Case, after string) {
	t.Helper()
	e := c.Edits[0]
	if len(c.Edits) > 1 || e.ReplaceAll || e.ExpectedCount > 1 {
		return
	}
	was, now := strings.SplitAfter(string(c.Before), "\n"), strings.SplitAfter(after, "\n")
	for len(was) > 0 && len(now) > 0 && was[0] == now[0] {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && was[len(was)-1] == now[len(now)-1] {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	named := strings.Count(e.Old, "\n") + strings.Count(e.Old, `\n`) + strings.Count(e.Old, "\r") + 1
	if len(was) > named {
		t.Errorf("%s: %d lines were changed by an edit of %d", c.Name(), len(was), named)
	}
}
