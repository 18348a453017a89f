package index

import (
	"bytes"
	"context"
	"strings"
)

// Crash calls do between the steps of saving.
func (s *JSONStore) Crash(do func(step string)) { s.crash = do }

// SetMaxIdle sets the size in bytes of outdated records up to which the log is not compacted.
func (s *JSONStore) SetMaxIdle(bytes int64) { s.maxIdle = bytes }

// Names of files in the directory of a JSONStore.
const (
	LogName    = logName
	LockName   = lockName
	TempPrefix = tempPrefix
)

// DecodeLog reads the content of a log. damaged is the number of lines that cannot be read.
func DecodeLog(data []byte) (files []*File, damaged int) {
	lines := cutLog(data)
	files = lines.files(context.Background(), bytes.NewReader(data))
	return files, lines.damaged
}

// SumLine returns a line with a right checksum for text, which begins with linePath.
func SumLine(text []byte) []byte {
	b := append([]byte(lineHead), "00000000"...)
	return endLine(append(b, text...), len(lineHead))
}

// LineText is the part of a line that SumLine takes.
func LineText(line []byte) []byte {
	return bytes.TrimSuffix(line[len(lineHead)+sumSize:], []byte("\n"))
}

// Compacted returns the log without outdated lines.
func Compacted(data []byte) []byte {
	lines := cutLog(data)
	small, _ := lines.compacted()
	return small
}

// Checked returns an error if the file is invalid.
func (f *File) Checked() error {
	parsed, err := f.load()
	if err != nil {
		return err
	}
	whole := *f
	whole.parsed = parsed
	return whole.check()
}

// TextSize is the length of the text in bytes.
func (f *File) TextSize() int64 { return f.textSize }

// SearchSlowly is Search without optimizations.
func (s *Snapshot) SearchSlowly(q Query) (hits []Hit, total int) {
	w := newSearch(q)
	for _, f := range s.files {
		for i := range f.Len() {
			if score := w.score(f, i); score > 0 && w.kinds&(1<<f.Symbol(i).Kind) != 0 && (q.Language == "" || q.Language == f.Language) && w.admits(f.Path) {
				rank := rankOf(score, pathDemotion(f.Path)+kindDemotion(f.Symbol(i).Kind))
				w.hits = append(w.hits, Hit{f, i, score, rank})
			}
		}
	}
	total = len(w.hits)
	w.cut(w.limit)
	return w.hits, total
}

// unfiltered makes a matcher look at every chunk.
type unfiltered struct{ matcher }

func (u unfiltered) candidates(f *File, to []candidate) []candidate {
	u.matcher.candidates(f, nil)
	for i := range f.Len() {
		to = append(to, candidate{at: i, mayBe: 1<<maxWords - 1})
	}
	return to
}

// SearchBroadlySlowly is each of the two searches of SearchBroadly, for words and for a spelling, with its filter and without.
func (s *Snapshot) SearchBroadlySlowly(q Query) (fast, slow []Hit, total, all int) {
	words := queryWords(q.Text)
	for _, m := range []func() matcher{
		func() matcher { return newWordSearch(words) },
		func() matcher { return newSpellingSearch(strings.Join(words, ""), 2) },
	} {
		hits, some, best := s.each(q, m)
		fast, total = append(fast, hits...), total+some+best
		hits, some, best = s.each(q, func() matcher { return unfiltered{m()} })
		slow, all = append(slow, hits...), all+some+best
	}
	return fast, slow, total, all
}
