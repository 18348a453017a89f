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

func sha256Of(content string) string {
	digest := sha256.Sum256([]byte(content))
	return hex.EncodeToString(digest[:])
}

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

func TestInsertCode_StaleDigest(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": tenLines})
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: sha256Of("other")})
	toolsettest.WantError(t, err, "STALE_FILE", sha256Of("other")[:12], sha256Of(tenLines)[:12])
	_, err = p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 2, ExpectedSHA256: sha256Of("other")})
	toolsettest.WantError(t, err, "STALE_FILE", sha256Of("other")[:12], sha256Of(tenLines)[:12])
	_, err = p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "f", Pattern: "1", Replacement: "x", Preview: new(false), ExpectedSHA256: sha256Of("other")})
	toolsettest.WantError(t, err, "STALE_FILE", sha256Of("other")[:12], sha256Of(tenLines)[:12])
	p.wantFile(t, "f", tenLines)
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: strings.ToUpper(sha256Of(tenLines))})
	p.wantFile(t, "f", "x\n"+tenLines)
}

// Line numbers of an outdated content are followed through changes of these tools if the lines themselves are unchanged.
func TestFollowLines(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": tenLines})
	before := sha256Of(tenLines)
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 3, Content: "a\nb"})
	call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: 12, EndLine: 12}) // 10
	p.wantFile(t, "f", "1\n2\na\nb\n3\n4\n5\n6\n7\n8\n9\n")

	deleted := call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: 5, EndLine: 6, ExpectedSHA256: before})
	if deleted.LinesDeleted != 2 || len(deleted.Notes) != 1 || !strings.Contains(deleted.Notes[0], "begin at line 7") {
		t.Errorf("%+v", deleted)
	}
	p.wantFile(t, "f", "1\n2\na\nb\n3\n4\n7\n8\n9\n")
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 9, Content: "c", ExpectedSHA256: before[:12]})
	p.wantFile(t, "f", "1\n2\na\nb\n3\n4\n7\n8\nc\n9\n")

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
	p.wantFile(t, "f", "1\n2\na\nb\n3\n4\n7\n8\nc\n9\n")

	p.put(t, "f", "0\n"+tenLines) // changed by another program
	_, err := p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 5, EndLine: 6, ExpectedSHA256: before})
	toolsettest.WantError(t, err, "STALE_FILE", before[:12])
}

// Lines of a former content are followed exactly or refused.
func TestFollowLines_Random(t *testing.T) {
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
		_, err = p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: first, EndLine: last, ExpectedSHA256: sha256Of(old)})
		if codeOf(err) == "STALE_FILE" {
			p.wantFile(t, "f", string(now))
			continue
		}
		if followed++; err != nil {
			t.Fatal(err)
		}
		p.wantFile(t, "f", strings.Replace(string(now), strings.Join(lines[first-1:last], ""), "", 1))
	}
	if followed < 20 || followed == 60 {
		t.Errorf("followed %d of 60", followed)
	}
}

// With a ledger, line numbers refer to the content that the caller has read.
func TestLedger_StaleLines(t *testing.T) {
	seen := new(tools.Ledger)
	p := newProject(t, setup{seen: seen}, map[string]string{"f": tenLines})
	ctx := tools.WithPeer(t.Context(), "reader")
	seen.Record(ctx, "f", sha256Of(tenLines))
	if _, err := p.InsertCode(ctx, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x"}); err != nil {
		t.Fatal(err)
	}
	if is, _ := seen.Seen(ctx, "f"); is != sha256Of("x\n"+tenLines) {
		t.Errorf("the caller is taken to have seen %s", is)
	}
	p.put(t, "f", "y\n"+tenLines)
	_, err := p.DeleteCode(ctx, editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 1})
	toolsettest.WantError(t, err, "STALE_FILE", "Read it again", sha256Of("y\n" + tenLines)[:12])
	_, err = p.InsertCode(ctx, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "z"})
	toolsettest.WantError(t, err, "STALE_FILE")
	// AfterText may have moved. Other callers have read nothing.
	if _, err := p.InsertCode(ctx, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "z", AfterText: "y"}); err != nil {
		t.Error(err)
	}
	if _, err := p.InsertCode(tools.WithPeer(t.Context(), "other"), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "w"}); err != nil {
		t.Error(err)
	}
	p.wantFile(t, "f", "w\ny\nz\n"+tenLines)
	if is, _ := seen.Seen(ctx, "f"); is == sha256Of("w\ny\nz\n"+tenLines) {
		t.Error("the caller is taken to have seen what others have written")
	}
}

// A concurrent change of the file is not lost.
func TestInsertCode_ConcurrentChange(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"f": "a\nb\n"})
	times := 0
	mind.diagnose = diagnoseThen(func() { // between computation and write
		if times++; times == 1 {
			if err := os.WriteFile(p.path("f"), []byte("0\na\nb\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	call(t, p.ReplaceCode, editor.ReplaceCodeArgs{Path: "f", Pattern: "b", Replacement: "c", Preview: new(false)})
	p.wantFile(t, "f", "0\na\nc\n")
	times = 0
	p.put(t, "f", "a\nd\n")
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: sha256Of("a\nd\n")})
	toolsettest.WantError(t, err, "STALE_FILE", sha256Of("0\na\nb\n")[:12])
	p.wantFile(t, "f", "0\na\nb\n")
}
