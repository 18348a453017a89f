package parsertest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
)

// Sizes of the texts that Run makes.
const (
	maxTruncated = 2000     // truncated texts of a sample
	randomTexts  = 120      // of a sample
	nestedLen    = 64 << 10 // bytes
	deepLen      = 4 << 20  // bytes of brackets, once for each language

	// nestedTime ends the context of a nested text. It shortens the test alone: both the error of the context and a result are
	// right.
	nestedTime = 200 * time.Millisecond
)

// truncated parses the beginnings of a sample: all of them, or evenly spaced ones of a long sample.
func (r *run) truncated(t *testing.T, s Sample) {
	src := []byte(s.Source)
	for end := 0; end <= len(src); end += 1 + len(src)/maxTruncated {
		r.hostile(t.Context(), t, src[:end:end], s.Language)
	}
}

// random parses random bytes, and samples with random changes. The texts are the same in each run. They contain no NUL, because
// source.Parsers refuses binary texts.
func (r *run) random(t *testing.T, s Sample) {
	random := rand.New(rand.NewPCG(1, uint64(len(s.Source))))
	for i := range randomTexts {
		var src []byte
		if i%4 == 0 {
			src = make([]byte, random.IntN(1000))
			for j := range src {
				src[j] = byte(1 + random.IntN(255))
			}
		} else {
			src = bytes.Clone([]byte(s.Source))
			for range 1 + random.IntN(8) {
				src = change(random, src)
			}
		}
		r.hostile(t.Context(), t, src, s.Language)
	}
}

// change returns a text with a random change: a byte replaced, a part removed, or a part repeated elsewhere.
func change(random *rand.Rand, src []byte) []byte {
	if len(src) == 0 {
		return []byte{byte(1 + random.IntN(255))}
	}
	from := random.IntN(len(src))
	to := min(len(src), from+1+random.IntN(40))
	switch random.IntN(3) {
	case 0:
		src[from] = byte(1 + random.IntN(255))
		return src
	case 1:
		return append(src[:from:from], src[to:]...)
	}
	at := random.IntN(len(src))
	return bytes.Join([][]byte{src[:at], src[from:to], src[at:]}, nil)
}

// nesting parses texts with many openings: brackets, quotes, comment marks, and the beginning of the sample again and again.
func (r *run) nesting(t *testing.T, s Sample) {
	openings := []string{"(", "[", "{", "<", "\"", "'", "`", "/*", "//", "#", "--[[", "\\", "\n", "\t", "((a", "{\n", "x."}
	for _, part := range []string{s.Source, s.Source[:len(s.Source)/2], s.Source[:len(s.Source)/4]} {
		openings = append(openings, part, strings.TrimRight(part, "\n")+" ")
	}
	for _, open := range openings {
		if open == "" {
			continue
		}
		r.nested(t, strings.Repeat(open, nestedLen/len(open)), s.Language)
	}
	first := slices.IndexFunc(r.samples, func(other Sample) bool { return other.Language == s.Language })
	if r.samples[first].Name == s.Name {
		for _, open := range []string{"(", "[", "{"} {
			r.nested(t, strings.Repeat(open, deepLen), s.Language)
		}
	}
}

// nested parses a text for a limited time.
func (r *run) nested(t *testing.T, text string, lang source.Language) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nestedTime)
	defer cancel()
	r.hostile(ctx, t, []byte(text), lang)
}

// hostile parses a text that may be no code, and checks its syntax.
func (r *run) hostile(ctx context.Context, t *testing.T, src []byte, lang source.Language) {
	t.Helper()
	_, _ = r.parse(ctx, t, src, lang, source.Options{Calls: true}) // an error is a right result too
	if checker, ok := r.p.(source.Checker); ok {
		_, _ = r.checkText(ctx, t, checker, src, lang)
	}
}
