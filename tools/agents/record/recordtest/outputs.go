package recordtest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/record"
)

var streams = []record.Stream{record.Raw, record.Text, record.Diff, record.Stderr}

// TestOutputs tests Outputs. open returns empty outputs that store at least 64 KiB of each stream.
func TestOutputs(t *testing.T, open func(t *testing.T) record.Outputs) {
	for name, test := range map[string]func(*testing.T, record.Outputs){
		"streams": testStreams, "ranges": testRanges, "limits": testLimits, "concurrent": testConcurrentOutputs, "unusualNames": testUnusualNames,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Agents and streams are separate.
func testStreams(t *testing.T, o record.Outputs) {
	ctx := t.Context()
	buffer := make([]byte, 0, 100)
	for i := range 3 {
		for _, agent := range []string{"a-1", "a-2"} {
			for _, s := range streams {
				buffer = fmt.Appendf(buffer[:0], "%s %s %d\n", agent, s, i)
				must(t, o.Append(ctx, agent, s, buffer)) // Append must copy it
			}
		}
	}
	for _, agent := range []string{"a-1", "a-2"} {
		for _, s := range streams {
			text := fmt.Sprintf("%[1]s %[2]s 0\n%[1]s %[2]s 1\n%[1]s %[2]s 2\n", agent, s)
			want := record.Output{Text: text, Next: int64(len(text)), Size: int64(len(text))}
			if got := mustReturn[record.Output](t)(o.Output(ctx, agent, s, 0, 1000)); got != want {
				t.Errorf("%s of %s is %+v, want %+v", s, agent, got, want)
			}
		}
	}
	if got := mustReturn[record.Output](t)(o.Output(ctx, "none", record.Text, 5, 10)); got != (record.Output{}) {
		t.Errorf("the output of an unknown agent is %+v", got)
	}
	must(t, o.Append(ctx, "nothing", record.Raw, nil))
	if got := mustReturn[record.Output](t)(o.Output(ctx, "nothing", record.Raw, -5, 10)); got != (record.Output{}) {
		t.Errorf("nothing is %+v", got)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	wantError(t, "with a context that has ended", o.Append(canceled, "a", record.Text, []byte("x")), context.Canceled)
}

func testRanges(t *testing.T, o record.Outputs) {
	for _, s := range streams {
		must(t, o.Append(t.Context(), "a", s, []byte("a日\xe6\x9c")))
		for _, tc := range []struct {
			offset int64
			length int
			want   record.Output
		}{
			{0, 3, record.Output{Text: "a", Next: 1, Size: 6}},
			{1, 1, record.Output{Text: "日", Offset: 1, Next: 4, Size: 6}},
			{2, 9, record.Output{Offset: 4, Next: 4, Size: 6}}, // the character is incomplete
			{-4, 1, record.Output{Offset: 4, Next: 4, Size: 6}},
			{1 << 50, 1, record.Output{Offset: 6, Next: 6, Size: 6}},
			{3, -1, record.Output{Offset: 3, Next: 3, Size: 6}},
		} {
			if got := mustReturn[record.Output](t)(o.Output(t.Context(), "a", s, tc.offset, tc.length)); got != tc.want {
				t.Errorf("%d of %s from %d on: %+v, want %+v", tc.length, s, tc.offset, got, tc.want)
			}
		}
		must(t, o.Append(t.Context(), "a", s, []byte("\xac")))
		if got := mustReturn[record.Output](t)(o.Output(t.Context(), "a", s, 4, 9)); got.Text != "本" || got.Next != 7 {
			t.Errorf("the rest of %s is %+v", s, got)
		}
	}
}

// The newest output is stored, and removed bytes are counted.
func testLimits(t *testing.T, o record.Outputs) {
	const lines, width = 24_000, 1000 // 24 MB
	line := func(i int) string { return fmt.Sprintf("%0*d\n", width-1, i) }
	var piece bytes.Buffer
	for i := range lines {
		piece.WriteString(line(i))
		if i%100 == 99 {
			for _, s := range streams {
				must(t, o.Append(t.Context(), "a", s, piece.Bytes()))
			}
			piece.Reset()
		}
	}
	for _, s := range streams {
		kept, dropped := 0, int64(0)
		for offset := int64(0); ; {
			got := mustReturn[record.Output](t)(o.Output(t.Context(), "a", s, offset, 1<<20))
			if got.Size != lines*width || got.Offset != offset+got.Dropped {
				t.Fatalf("at %d of %s: %d, %d, %d", offset, s, got.Offset, got.Dropped, got.Size)
			}
			if got.Text == "" {
				break
			}
			kept, dropped, offset = kept+len(got.Text), dropped+got.Dropped, got.Next
		}
		if kept < 64<<10 || kept > 32<<20 || int64(kept)+dropped != lines*width {
			t.Errorf("of %s are kept %d, and %d dropped", s, kept, dropped)
		}
		const end = 50
		got := mustReturn[record.Output](t)(o.Output(t.Context(), "a", s, -end*width, end*width))
		if want := line(lines - end); !strings.HasPrefix(got.Text, want) || !strings.HasSuffix(got.Text, line(lines-1)) || len(got.Text) != end*width {
			t.Errorf("%s ends in %d bytes with %.40q", s, len(got.Text), got.Text[max(0, len(got.Text)-40):])
		}
	}
}

func testConcurrentOutputs(t *testing.T, o record.Outputs) {
	const agents, writes = 20, 50
	var all group.Group
	for i := range agents {
		id := fmt.Sprint("a-", i)
		for _, s := range streams {
			all.Go(func() {
				for range writes {
					if err := o.Append(t.Context(), id, s, []byte(id+"\n")); err != nil {
						t.Error(err)
					}
				}
			})
			all.Go(func() {
				for range writes {
					if _, err := o.Output(t.Context(), id, s, -10, 10); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for i := range agents {
		id := fmt.Sprint("a-", i)
		for _, s := range streams {
			if got := mustReturn[record.Output](t)(o.Output(t.Context(), id, s, 0, 1<<20)); got.Text != strings.Repeat(id+"\n", writes) {
				t.Errorf("%s of %s is %d bytes", s, id, len(got.Text))
			}
		}
	}
}

// Any identifier is valid and stays inside the store.
func testUnusualNames(t *testing.T, o record.Outputs) {
	names := []string{"", ".", "..", "../x", "/etc/passwd", `C:\x`, "a:b", "A", "a", "実装-1", "nul\x00", "CON", "con ", strings.Repeat("long", 100), "line\nbreak", "\xff"}
	for _, id := range names {
		must(t, o.Append(t.Context(), id, record.Text, []byte("of "+id)))
	}
	for _, id := range names {
		if got := mustReturn[record.Output](t)(o.Output(t.Context(), id, record.Text, 0, 1000)); got.Text != "of "+id {
			t.Errorf("the output of %q is %q", id, got.Text)
		}
	}
}
