package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

func TestLines_AnyPartSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.StringMatching(`[a-z{}":é]{1,40}`), 0, 20).Draw(t, "lines")
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", "\n \t\r\n"}).Draw(t, "line end")
		stream := strings.Join(want, end)
		if rapid.Bool().Draw(t, "with a last line end") {
			stream += end
		}
		got, dropped := command.Lines([]byte(stream), rapid.IntRange(1, 64).Draw(t, "size"), command.DefaultMaxLine)
		if fmt.Sprint(got) != fmt.Sprint(want) || len(dropped) > 0 {
			t.Errorf("%q was cut into %q, and %v left out", stream, got, dropped)
		}
	})
}

func TestLines_LongStringsOfJSON(t *testing.T) {
	content := strings.Repeat("\t\"日本語\" and \\ more\n", 10_000)
	line, err := json.Marshal(map[string]any{"a": content, "b": "short", "c": []string{content, "😀"}, "d": strings.Repeat("😀", 20_000)})
	if err != nil {
		t.Fatal(err)
	}
	escaped := bytes.ReplaceAll(line, []byte("😀"), []byte(`\ud83d\ude00`))
	for _, stream := range [][]byte{line, escaped} {
		for _, size := range []int{1 << 10, 32<<10 - 1, 1 << 20} {
			got, dropped := command.Lines(stream, size, command.DefaultMaxLine)
			if len(got) != 1 || len(dropped) != 0 || len(got[0]) > command.WholeLine+8 {
				t.Fatalf("%d bytes became %d lines, %v left out", len(stream), len(got), dropped)
			}
			var read struct {
				A, B, D string
				C       []string
			}
			if err := json.Unmarshal([]byte(got[0]), &read); err != nil {
				t.Fatalf("what was %d bytes is no JSON any more: %v", len(stream), err)
			}
			if read.B != "short" || read.C[1] != "😀" {
				t.Errorf("short strings are %q, %q", read.B, read.C[1])
			}
			for _, long := range []struct{ got, whole string }{{read.A, content}, {read.C[0], content}, {read.D, strings.Repeat("😀", 20_000)}} {
				begin, cut := strings.CutSuffix(long.got, "…")
				if !cut || len(begin) < 4<<10 || !strings.HasPrefix(long.whole, begin) {
					t.Errorf("a long string of %d bytes became one of %d that ends with %q", len(long.whole), len(long.got), long.got[max(0, len(long.got)-20):])
				}
			}
		}
	}
}

func TestLines_TooLong(t *testing.T) {
	const most = 1 << 20
	for _, test := range []struct {
		name    string
		line    string
		lines   int
		dropped bool
	}{
		{"JSON within the limit", `{"a":"` + strings.Repeat("x", most-10) + `"}`, 1, false},
		{"JSON beyond the limit", `{"a":"` + strings.Repeat("x", most) + `"}`, 0, true},
		{"JSON that is nothing but structure", `{"a":[` + strings.Repeat("1,", most/4) + `1]}`, 0, true},
		{"JSON of many short strings", `{"a":[` + strings.Repeat(`"é",`, most/8) + `"é"]}`, 0, true},
		{"words within the limit", strings.Repeat("word ", most/5), 1, false},
		{"words beyond the limit", strings.Repeat("word ", most), 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, dropped := command.Lines([]byte("before\n"+test.line+"\nafter"), 32<<10, most)
			if len(got) != 2+test.lines || got[0] != "before" || got[len(got)-1] != "after" {
				t.Fatalf("%d lines, %d left out", len(got), len(dropped))
			}
			if test.dropped != (len(dropped) == 1 && dropped[0] == int64(len(test.line))) {
				t.Errorf("left out are %v", dropped)
			}
			if test.lines == 1 && test.line[0] != '{' && len(got[1]) != command.ShownLine {
				t.Errorf("of words %d bytes are left", len(got[1]))
			}
		})
	}
}

func TestLines_Memory(t *testing.T) {
	long := `{"type":"tool_call","tool_call":{"editToolCall":{"result":{"success":{"beforeFullFileContent":"` + strings.Repeat(`line \"of\" text\n`, 300_000) + `"}}}}}`
	stream := []byte(long + "\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	command.Lines(stream, 32<<10, command.DefaultMaxLine)
	runtime.ReadMemStats(&after)
	if perLine := after.TotalAlloc - before.TotalAlloc; perLine > 3<<20 { // the limit allows for copies of the growing buffer
		t.Errorf("a line of %d bytes took %d bytes of memory", len(long), perLine)
	}
}

func TestShorten(t *testing.T) {
	if got := string(command.Shorten([]byte(`{"a":"b"}`), 100)); got != `{"a":"b"}` {
		t.Errorf("what is short became %s", got)
	}
	if got := command.Shorten([]byte("["+strings.Repeat("1,", 100)+"1]"), 100); got != nil {
		t.Errorf("what cannot be shortened became %s", got)
	}
}

func FuzzShorten(f *testing.F) {
	f.Add([]byte(`{"a":"`+strings.Repeat(`\ud83d\ude00`, 20)+`","b":["x\"y\\"]}`), 64, 7)
	f.Add([]byte(`{"`+strings.Repeat("日本", 30)+`":"`+strings.Repeat(`\u00e9`, 30)+`"}`), 100, 3)
	f.Fuzz(func(t *testing.T, data []byte, most, size int) {
		if size < 1 || most < 0 || most > 1<<20 {
			return
		}
		short := command.Shorten(data, most)
		if json.Valid(data) {
			if short != nil && !json.Valid(short) {
				t.Errorf("%q became %q", data, short)
			}
			if utf8.Valid(data) && !utf8.Valid(short) {
				t.Errorf("%q became %q, which is no text", data, short)
			}
		}
		if len(short) > most+len("…")*2 {
			t.Errorf("%d bytes became %d, not %d", len(data), len(short), most)
		}
		command.Lines(data, size, int64(most))
	})
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m \x1b]0;title\x07and\x1b(B plain": "red and plain",
		"a\x00b\rc\td\ne": "abc\td\ne",
		"日本語":             "日…",
		"\xff\xfe":        "\uFFFD",
	} {
		most := 100
		if text == "日本語" {
			most = 5
		}
		if got := command.Printable(text, most); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
