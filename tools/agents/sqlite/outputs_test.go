package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
)

func say(t testing.TB, d *sqlite.DB, id string, s record.Stream, text string) {
	t.Helper()
	must(t, d.Outputs().Append(t.Context(), id, s, []byte(text)))
}

func heard(t testing.TB, d *sqlite.DB, id string, s record.Stream, offset int64) record.Output {
	t.Helper()
	o, err := d.Outputs().Output(t.Context(), id, s, offset, 100)
	must(t, err)
	return o
}

// The beginning and the end of long output are stored, also for the next process.
func TestOutputs_MaxRawBytes(t *testing.T) {
	file := file(t)
	o := sqlite.Options{MaxRawBytes: 160_000, MaxTextBytes: 16_000}
	d := open(t, file, o)
	line := strings.Repeat("0123456789abcde\n", 100)
	for range 1000 {
		say(t, d, "a", record.Raw, line)
		say(t, d, "a", record.Diff, line)
	}
	for range 2 {
		for s, most := range map[record.Stream]int64{record.Raw: 160_000, record.Diff: 16_000} {
			if o := heard(t, d, "a", s, 0); !strings.HasPrefix(o.Text, "0123456789abcde\n0123") || o.Dropped != 0 || o.Size != 1_600_000 {
				t.Errorf("%s begins with %+v", s, o)
			}
			if o := heard(t, d, "a", s, 800_000); o.Dropped < 800_000-most || o.Dropped > 800_000 || o.Text == "" {
				t.Errorf("the middle of %s is %+v", s, o)
			}
			if o := heard(t, d, "a", s, -16); o.Text != "0123456789abcde\n" {
				t.Errorf("%s ends with %+v", s, o)
			}
		}
		if size := used(t, file); size > 160_000+16_000 {
			t.Errorf("%d bytes are used", size)
		}
		must(t, d.Close())
		d = open(t, file, o)
	}
}

// used returns the total size of all outputs.
func used(t testing.TB, file string) (size int64) {
	t.Helper()
	must(t, filepath.Walk(file+".outputs", func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil // the file was removed meanwhile
	}))
	return size
}

// The output of the least recent writers is removed above the total limit.
func TestOutputs_MaxOutputBytes(t *testing.T) {
	for name, o := range map[string]sqlite.Options{"bytes": {MaxOutputBytes: 1 << 20}, "agents": {MaxAgents: 10}} {
		t.Run(name, func(t *testing.T) {
			file := file(t)
			d := open(t, file, sqlite.Options{})
			for i := range 20 {
				id := fmt.Sprintf("a-%02d", i)
				say(t, d, id, record.Text, strings.Repeat(id, 25_000)) // 100 KB
				heard(t, d, id, record.Text, 0)
				old := time.Now().Add(time.Duration(i-100) * time.Hour)
				files, err := filepath.Glob(filepath.Join(file+".outputs", id, "*"))
				must(t, err)
				for _, f := range files {
					must(t, os.Chtimes(f, old, old))
				}
			}
			must(t, d.Close())
			again := open(t, file, o)
			waittest.Until(t, "there is room", func() bool { return used(t, file) <= 1<<20 })
			for i := range 20 {
				if o := heard(t, again, fmt.Sprintf("a-%02d", i), record.Text, 0); (o.Text != "") != (i >= 10) {
					t.Errorf("of %d is kept %.20q", i, o.Text)
				}
			}
		})
	}
	// The limit also applies while agents write.
	file := file(t)
	d := open(t, file, sqlite.Options{MaxOutputBytes: 1 << 20, WriteDelay: time.Millisecond})
	for i := range 40 {
		say(t, d, fmt.Sprint("a-", i), record.Text, strings.Repeat("x", 100_000))
	}
	waittest.Until(t, "there is room", func() bool { return used(t, file) <= 1<<20+1<<16 })
}

// A removed file leaves a gap and affects nothing else.
func TestOutputs_RemovedFiles(t *testing.T) {
	file := file(t)
	d := open(t, file, sqlite.Options{MaxTextBytes: 160})
	for i := range 8 {
		say(t, d, "a", record.Text, fmt.Sprintf("number %d, ", i)) // of 10
		heard(t, d, "a", record.Text, 0)
	}
	removed, err := filepath.Glob(filepath.Join(file+".outputs", "a", "*-000000000000001*"))
	must(t, err)
	for _, f := range removed {
		must(t, os.Remove(f))
	}
	if o := heard(t, d, "a", record.Text, 20); len(removed) == 0 || o.Dropped == 0 || !strings.HasSuffix(o.Text, "number 7, ") {
		t.Errorf("without %v there is %+v", removed, o)
	}
	must(t, os.RemoveAll(file+".outputs"))
	if o := heard(t, d, "a", record.Text, 0); o.Text != "" || o.Dropped != 80 || o.Size != 80 {
		t.Errorf("without all there is %+v", o)
	}
	say(t, d, "a", record.Text, "and on")
	if o := heard(t, d, "a", record.Text, 0); o.Text != "and on" || o.Dropped != 80 {
		t.Errorf("afterwards there is %+v", o)
	}
}

// Foreign files in the directory are ignored, and failed writes are reported.
func TestOutputs_ForeignFiles(t *testing.T) {
	file := file(t)
	dir := filepath.Join(file+".outputs", "a")
	must(t, os.MkdirAll(filepath.Join(dir, "text-0000000000000003"), 0o755))
	for _, name := range []string{"text-", "text-zz", "text--000000000000001", "text-000000000000000g", "text-ffffffffffffffff", "textual-0000000000000000", ".text"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("foreign"), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(file+".outputs", "file"), nil, 0o600))
	d := open(t, file, sqlite.Options{WriteDelay: time.Hour})
	if o := heard(t, d, "a", record.Text, 0); o != (record.Output{}) {
		t.Errorf("there is %+v", o)
	}
	err := d.Outputs().Append(t.Context(), "file", record.Text, bytes.Repeat([]byte("x"), 1<<20))
	if err == nil {
		t.Error("output was kept below a file")
	}
	if o := heard(t, d, "file", record.Text, 0); o.Size != 1<<20 || o.Dropped != 1<<20 {
		t.Errorf("of what could not be kept there is %+v", o)
	}
}

// More agents write than the cache holds.
func TestOutputs_ManyWriters(t *testing.T) {
	d := open(t, file(t), sqlite.Options{})
	const writers = 600
	for round := range 2 {
		for i := range writers {
			say(t, d, fmt.Sprint("a-", i), record.Text, fmt.Sprint(i, " says ", round, "\n"))
		}
	}
	for i := range writers {
		if o := heard(t, d, fmt.Sprint("a-", i), record.Text, 0); o.Text != fmt.Sprintf("%d says 0\n%d says 1\n", i, i) {
			t.Errorf("%d said %+v", i, o)
		}
	}
}
