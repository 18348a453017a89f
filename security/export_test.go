package security

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
)

// CleanPath is the check of names by itself, for the fuzzer.
func CleanPath(given string) (string, bool, error) { return cleanPath(given) }

// CleanPathOn is CleanPath by the name rules of Windows or of other systems.
func CleanPathOn(windows bool, given string) (string, bool, error) {
	return cleanPathOn(windows, given)
}

// Match compiles patterns and matches one path.
func Match(sources []string, final string) bool {
	ps, faults := compilePatterns(sources)
	return len(faults) == 0 && ps.Match(final)
}

// Valid reports whether a pattern compiles.
func Valid(source string) bool {
	_, faults := compilePatterns([]string{source})
	return len(faults) == 0
}

// EditDistance compares two short names.
func EditDistance(a, b string) int { return editDistance(a, b) }

// StillNamed is how a lock file is known to be the one that others will find.
func StillNamed(f *os.File, name string) bool { return stillNamed(f, name) }

// JournalWithPath is a journal whose first step has another path.
func JournalWithPath(text []byte, path string) []byte {
	return journalWith(text, func(r *batchRecord) { r.Steps[0].Path = path })
}

// JournalWithRoot is a journal whose steps are all in another directory.
func JournalWithRoot(text []byte, root string) []byte {
	return journalWith(text, func(r *batchRecord) {
		for i := range r.Steps {
			if r.Steps[i].Root = root; r.Steps[i].ToRoot != "" {
				r.Steps[i].ToRoot = root
			}
		}
	})
}

func journalWith(text []byte, change func(*batchRecord)) []byte {
	end := len(text) - trailerSize
	begin := end - int(binary.BigEndian.Uint64(text[end:]))
	var record batchRecord
	if err := json.Unmarshal(text[begin:end], &record); err != nil {
		panic(err)
	}
	change(&record)
	return appendRecord(bytes.Clone(text[:begin]), &record)
}

// WriteJournal writes the journal of a change to a disk that fails.
func WriteJournal(ctx context.Context, r *Root, failure error, steps ...Step) error {
	record, err := r.planBatch("test", steps)
	if err != nil {
		return err
	}
	j := &journal{root: r, record: record}
	return r.noJournal(j.write(ctx, failingWriter{failure}, steps))
}

type failingWriter struct{ error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.error }
