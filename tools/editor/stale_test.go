package editor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func sum(content string) string {
	digest := sha256.Sum256([]byte(content))
	return hex.EncodeToString(digest[:])
}

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

func TestAnotherContentIsRefused(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": tenLines})
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: sum("other")})
	toolsettest.WantError(t, err, "STALE_FILE", sum("other"), sum(tenLines))
	_, err = p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 2, ExpectedSHA256: sum("other")})
	toolsettest.WantError(t, err, "STALE_FILE", sum("other"), sum(tenLines))
	_, err = p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "f", Pattern: "1", Replacement: "x", Preview: new(false), ExpectedSHA256: sum("other")})
	toolsettest.WantError(t, err, "STALE_FILE", sum("other"), sum(tenLines))
	p.holds(t, "f", tenLines)
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: strings.ToUpper(sum(tenLines))})
	p.holds(t, "f", "x\n"+tenLines)
}

// Line numbers of a content that these tools have changed since are still good, as long as their lines were not touched.
func TestLinesAreFollowed(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": tenLines})
	before := sum(tenLines)
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 3, Content: "a\nb"})
	call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: 12, EndLine: 12}) // 10
	p.holds(t, "f", "1\n2\na\nb\n3\n4\n5\n6\n7\n8\n9\n")

	deleted := call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: 5, EndLine: 6, ExpectedSHA256: before})
	if deleted.LinesDeleted != 2 || len(deleted.Notes) != 1 || !strings.Contains(deleted.Notes[0], "from 7 on") {
		t.Errorf("%+v", deleted)
	}
	p.holds(t, "f", "1\n2\na\nb\n3\n4\n7\n8\n9\n")
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 9, Content: "c", ExpectedSHA256: before})
	p.holds(t, "f", "1\n2\na\nb\n3\n4\n7\n8\nc\n9\n")

	for name, args := range map[string]editor.DeleteCodeArgs{
		"lines that are gone":            {StartLine: 6, EndLine: 7},
		"lines with others in between":   {StartLine: 2, EndLine: 3},
		"the line that was cut off":      {StartLine: 10, EndLine: 10},
		"around everything that changed": {StartLine: 1, EndLine: 9},
	} {
		args.Path, args.ExpectedSHA256 = "f", before
		_, err := p.DeleteCode(t.Context(), args)
		if codeOf(err) != "STALE_FILE" {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.holds(t, "f", "1\n2\na\nb\n3\n4\n7\n8\nc\n9\n")

	p.put(t, "f", "0\n"+tenLines) // by somebody else
	_, err := p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 5, EndLine: 6, ExpectedSHA256: before})
	toolsettest.WantError(t, err, "STALE_FILE", before)
}

// Lines of any former content are either found again exactly, or not at all.
func TestLinesAreFollowedExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	followed := 0
	for round := range 60 {
		end := []string{"\n", "\r\n"}[round%2]
		p := newProject(t, setup{}, map[string]string{"f": ""})
		var versions []string
		next := 0
		fresh := func(n int) string {
			var b strings.Builder
			for range n {
				next++
				fmt.Fprintf(&b, "line %d%s", next, end)
			}
			return b.String()
		}
		p.put(t, "f", fresh(20))
		for range 4 {
			now, err := os.ReadFile(p.path("f"))
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, string(now))
			lines := strings.Count(string(now), "\n")
			at := 1 + random.IntN(lines)
			switch random.IntN(3) {
			case 0:
				call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: at, Content: fresh(1 + random.IntN(3))})
			case 1:
				call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: at, EndLine: min(at+random.IntN(3), lines)})
			default:
				line := strings.SplitAfter(string(now), end)[at-1]
				call(t, p.ReplaceCode, editor.ReplaceCodeArgs{Path: "f", Pattern: line, Replacement: fresh(random.IntN(3)), Preview: new(false)})
			}
		}
		now, err := os.ReadFile(p.path("f"))
		if err != nil {
			t.Fatal(err)
		}
		old := versions[random.IntN(len(versions))]
		lines := strings.SplitAfter(old, end)
		first := 1 + random.IntN(len(lines)-1)
		last := min(first+random.IntN(3), len(lines)-1)
		_, err = p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: first, EndLine: last, ExpectedSHA256: sum(old)})
		if codeOf(err) == "STALE_FILE" {
			p.holds(t, "f", string(now))
			continue
		}
		if followed++; err != nil {
			t.Fatal(err)
		}
		p.holds(t, "f", strings.Replace(string(now), strings.Join(lines[first-1:last], ""), "", 1))
	}
	if followed < 20 || followed == 60 {
		t.Errorf("followed %d of 60", followed)
	}
}

// With a ledger, line numbers are those of the content that the caller has read.
func TestTheLedgerKnowsWhatWasRead(t *testing.T) {
	seen := new(tools.Ledger)
	p := newProject(t, setup{seen: seen}, map[string]string{"f": tenLines})
	ctx := tools.WithPeer(t.Context(), "reader")
	seen.Saw(ctx, "f", sum(tenLines))
	if _, err := p.InsertCode(ctx, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x"}); err != nil {
		t.Fatal(err)
	}
	if is, _ := seen.Seen(ctx, "f"); is != sum("x\n"+tenLines) {
		t.Errorf("the caller is taken to have seen %s", is)
	}
	p.put(t, "f", "y\n"+tenLines)
	_, err := p.DeleteCode(ctx, editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 1})
	toolsettest.WantError(t, err, "STALE_FILE", "Read it again", sum("y\n"+tenLines))
	_, err = p.InsertCode(ctx, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "z"})
	toolsettest.WantError(t, err, "STALE_FILE")
	// Text that is looked for need not be where it was, and others have read nothing.
	if _, err := p.InsertCode(ctx, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "z", AfterText: "y"}); err != nil {
		t.Error(err)
	}
	if _, err := p.InsertCode(tools.WithPeer(t.Context(), "other"), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "w"}); err != nil {
		t.Error(err)
	}
	p.holds(t, "f", "w\ny\nz\n"+tenLines)
	if is, _ := seen.Seen(ctx, "f"); is == sum("w\ny\nz\n"+tenLines) {
		t.Error("the caller is taken to have seen what others have written")
	}
}

// Somebody who changes the file at the same time loses nothing.
func TestAFileThatChangesMeanwhile(t *testing.T) {
	mind := newBrain()
	p := newProject(t, with(mind), map[string]string{"f": "a\nb\n"})
	times := 0
	mind.diagnose = diagnoseThen(func() { // before the change is made, and after it was worked out
		if times++; times == 1 {
			if err := os.WriteFile(p.path("f"), []byte("0\na\nb\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	call(t, p.ReplaceCode, editor.ReplaceCodeArgs{Path: "f", Pattern: "b", Replacement: "c", Preview: new(false)})
	p.holds(t, "f", "0\na\nc\n")
	times = 0
	p.put(t, "f", "a\nd\n")
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: sum("a\nd\n")})
	toolsettest.WantError(t, err, "STALE_FILE", sum("0\na\nb\n"))
	p.holds(t, "f", "0\na\nb\n")
}
