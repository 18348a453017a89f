package record_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// kept is an output with a missing part.
type kept struct {
	all      string
	from, to int64 // the missing range
}

func (k kept) read(offset int64, n int) ([]byte, int64) {
	at, end := offset, int64(len(k.all))
	if at >= k.from && at < k.to {
		at = k.to
	}
	if at < k.from && k.from < k.to {
		end = k.from
	}
	return []byte(k.all[at:min(at+int64(n), end)]), at
}

func TestReadRange_Offsets(t *testing.T) {
	text := kept{all: "a日本語z"}
	for _, tc := range []struct {
		name   string
		k      kept
		offset int64
		length int
		want   record.Output
	}{
		{"all", text, 0, 100, record.Output{Text: "a日本語z", Next: 11, Size: 11}},
		{"no half a character at the end", text, 0, 6, record.Output{Text: "a日", Next: 4, Size: 11}},
		{"nor at the beginning", text, 2, 5, record.Output{Text: "本", Offset: 4, Next: 7, Size: 11}},
		{"a character larger than was asked for", text, 1, 1, record.Output{Text: "日", Offset: 1, Next: 4, Size: 11}},
		{"from the end", text, -5, 100, record.Output{Text: "語z", Offset: 7, Next: 11, Size: 11}},
		{"before the beginning", text, -50, 1, record.Output{Text: "a", Next: 1, Size: 11}},
		{"at the end", text, 11, 5, record.Output{Offset: 11, Next: 11, Size: 11}},
		{"behind the end", text, 1 << 60, 5, record.Output{Offset: 11, Next: 11, Size: 11}},
		{"nothing is asked for", text, 1, 0, record.Output{Offset: 1, Next: 1, Size: 11}},
		{"less than nothing", text, 1, math.MinInt, record.Output{Offset: 1, Next: 1, Size: 11}},
		{"very much", text, 0, math.MaxInt, record.Output{Text: "a日本語z", Next: 11, Size: 11}},
		{"the rest is to come", kept{all: "ab\xe6\x97"}, 0, 9, record.Output{Text: "ab", Next: 2, Size: 4}},
		{"all of it is to come", kept{all: "ab\xe6\x97"}, 2, 9, record.Output{Offset: 2, Next: 2, Size: 4}},
		{"what never was a character", kept{all: "\xff\xfe\xe6z"}, 0, 9, record.Output{Text: "\xff\xfe\xe6z", Next: 4, Size: 4}},
		{"bytes that only go on", kept{all: "\x80\x80\x80\x80\x80\x80"}, 4, 1, record.Output{Text: "\x80", Offset: 4, Next: 5, Size: 6}},
		{"up to what is missing", kept{"abcdef", 2, 4}, 0, 9, record.Output{Text: "ab", Next: 2, Size: 6}},
		{"behind what is missing", kept{"abcdef", 2, 4}, 2, 9, record.Output{Text: "ef", Offset: 4, Next: 6, Size: 6, Dropped: 2}},
		{"a character whose end is missing", kept{"a\xe6\x97\xa5b", 2, 4}, 1, 9, record.Output{Text: "\xe6", Offset: 1, Next: 2, Size: 5}},
		{"nothing is kept", kept{"abcdef", 0, 6}, 1, 9, record.Output{Offset: 6, Next: 6, Size: 6, Dropped: 5}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := record.ReadRange(int64(len(tc.k.all)), tc.offset, tc.length, tc.k.read); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// Successive reads return all stored bytes and split no character.
func TestReadRange_Sequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := kept{all: rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "all")}
		size := int64(len(k.all))
		if rapid.Bool().Draw(t, "missing") {
			k.from = rapid.Int64Range(0, size).Draw(t, "from")
			k.to = rapid.Int64Range(k.from, size).Draw(t, "to")
		}
		var got strings.Builder
		var dropped int64
		for offset := int64(0); offset < size; {
			o := record.ReadRange(size, offset, rapid.IntRange(1, 9).Draw(t, "length"), k.read)
			if o.Next != o.Offset+int64(len(o.Text)) || o.Offset != offset+o.Dropped || o.Size != size {
				t.Fatalf("at %d: %+v", offset, o)
			}
			if utf8.ValidString(k.all) && k.from == k.to && !utf8.ValidString(o.Text) {
				t.Fatalf("at %d: %q is split", offset, o.Text)
			}
			got.WriteString(o.Text)
			dropped += o.Dropped
			if o.Text == "" {
				if o.Next < size && utf8.FullRuneInString(k.all[o.Next:]) {
					t.Fatalf("at %d nothing more is answered of %q", offset, k.all)
				}
				break
			}
			offset = o.Next
		}
		want := k.all[:k.from] + k.all[k.to:]
		if rest, ok := strings.CutPrefix(want, got.String()); !ok || rest != "" && utf8.FullRuneInString(rest) || dropped > k.to-k.from {
			t.Fatalf("got %q and %d left out, want %q", got.String(), dropped, want)
		}
	})
}
