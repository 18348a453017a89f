package segment_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// damages returns damaged variants of a file.
func damages(content []byte) map[string][]byte {
	all := map[string][]byte{"empty": {}, "one byte": content[:1], "half": content[:len(content)/2], "longer": append(slices.Clone(content), 0), "zeros": make([]byte, len(content))}
	for at := 0; at < len(content); at += max(len(content)/25, 1) {
		flipped := slices.Clone(content)
		flipped[at] ^= 1 << (at % 8)
		all[fmt.Sprint("flipped at ", at)] = flipped
	}
	return all
}

// TestDamage checks that damaged data is logged and dropped, and that results stay
// correct.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	want := createSample(t, dir)
	original := make(map[string][]byte)
	for _, name := range strings.Fields(listing(t, dir)) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		original[name] = content
	}
	for name, content := range original {
		if name == "lock" {
			continue
		}
		for what, damaged := range damages(content) {
			for _, memory := range []int64{0, 1} {
				into := t.TempDir()
				for other, content := range original {
					if other == name {
						content = damaged
					}
					if err := os.WriteFile(filepath.Join(into, other), content, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				testDamaged(t, name+" "+what, into, memory, want)
			}
		}
		into := t.TempDir() // without the file
		for other, content := range original {
			if other != name {
				if err := os.WriteFile(filepath.Join(into, other), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		testDamaged(t, "no "+name, into, 0, want)
	}
}

func testDamaged(t *testing.T, what, dir string, memory int64, want answers) {
	t.Helper()
	var log bytes.Buffer
	ix := open(t, dir, segment.Options{Memory: memory, Log: logTo(&log)})
	got, err := ask(t.Context(), ix)
	if _, damage := errors.AsType[*segment.Damage](err); err != nil && !damage {
		t.Errorf("%s: %v", what, err)
	}
	if err != nil { // the query found the damage; later queries ignore the segment
		if got, err = ask(t.Context(), ix); err != nil {
			t.Errorf("%s: it is damaged still: %v", what, err)
		}
	}
	if !strings.Contains(log.String(), "level=WARN") && !strings.HasPrefix(what, "no manifest") {
		t.Errorf("%s: nothing is told", what)
	}
	isPart(t, what, got, want)
	// A complete replacement repairs the index.
	commit(t, ix, index.WriteOptions{Replace: true}, sample("new.go", "common"))
	after := mustAsk(t, ix)
	if err := ix.Close(t.Context()); err != nil {
		t.Error(err)
	}
	again := mustAsk(t, open(t, dir, segment.Options{}))
	if len(after.Files) != 1 || !cmp.Equal(after, again) {
		t.Errorf("%s: after it was put in order: %s", what, cmp.Diff(after, again))
	}
}

// isPart checks that got equals want for a subset of the files.
func isPart(t *testing.T, what string, got, want answers) {
	t.Helper()
	for _, k := range got.Files {
		if !slices.ContainsFunc(want.Files, func(w index.Known) bool { return cmp.Equal(k, w) }) {
			t.Errorf("%s: a file is %+v", what, k)
		}
		if diff := cmp.Diff(want.Pieces[k.Path], got.Pieces[k.Path]); diff != "" {
			t.Errorf("%s: the pieces of %s (-want +got):\n%s", what, k.Path, diff)
		}
	}
	known := func(path string) bool {
		return slices.ContainsFunc(got.Files, func(k index.Known) bool { return k.Path == path })
	}
	count := func(list []index.Candidate) (n int) {
		for _, c := range list {
			if known(c.File.Path) {
				n++
			}
		}
		return n
	}
	if n := count(want.Found.Candidates); n != len(got.Found.Candidates) {
		t.Errorf("%s: %d pieces are found and not %d", what, len(got.Found.Candidates), n)
	}
	if n := count(want.Similar.Candidates); n != len(got.Similar.Candidates) {
		t.Errorf("%s: %d pieces are similar and not %d", what, len(got.Similar.Candidates), n)
	}
	n := 0
	for _, path := range want.Candidates {
		if known(path) {
			n++
		}
	}
	if n != len(got.Candidates) {
		t.Errorf("%s: the candidates are %q", what, got.Candidates)
	}
}

// An index of another format version counts as empty.
func TestOpen_OtherVersion(t *testing.T) {
	dir := t.TempDir()
	createSample(t, dir)
	name := filepath.Join(dir, "manifest")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	content[7]++
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if a := mustAsk(t, open(t, dir, segment.Options{Log: logTo(&log)})); len(a.Files) > 0 {
		t.Errorf("it has %d files", len(a.Files))
	}
	if !strings.Contains(log.String(), "version") {
		t.Errorf("the log says %q", log.String())
	}
	if left := listing(t, dir); left != "lock manifest.damaged" {
		t.Errorf("the directory has %s", left)
	}
}
