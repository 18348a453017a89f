package fs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestReadMany(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 4000) // 64 KB
	files := map[string]string{
		"a.go": "package a\n", "b.txt": "\x93\xfa\x96\x7b\r\n", "empty": "", "dir/": "", "long": long, "longer": long + long, "img.png": picture(t, 100), ".env": "SECRET=1",
		"link": "-> a.go", "data": "\x00\x01\x02\x03\xff", "no-end": "x",
	}
	p := newProject(t, setup{}, files)
	paths := []string{"longer", "a.go", "missing.go", "b.txt", "dir", "img.png", "long", ".env", "link", "empty", "data", "no-end"}
	got, err := p.ReadMany(t.Context(), fs.ReadArgs{Paths: paths})
	if err != nil || len(got.Files) != len(paths) {
		t.Fatalf("%d files, %v", len(got.Files), err)
	}
	byPath := map[string]fs.FileRead{}
	for i, file := range got.Files {
		byPath[paths[i]] = file
	}
	for path, want := range map[string]string{"a.go": "package a\n", "b.txt": "日本\r\n", "link": "package a\n", "empty": "", "no-end": "x", "data": "AAECA/8="} {
		if f := byPath[path]; f.Error != nil || f.Content != want || f.Truncated || f.SHA256 == "" {
			t.Errorf("%s: %+v", path, f)
		}
	}
	if f := byPath["link"]; f.Path != "a.go" {
		t.Errorf("the link is %q", f.Path)
	}
	for path, want := range map[string]string{"missing.go": "FILE_NOT_FOUND", "dir": "IS_A_DIRECTORY", ".env": "PERMISSION_DENIED"} {
		f := byPath[path]
		if f.Error == nil || f.Error.Code != want || f.Error.Message == "" || f.Error.Next == "" || f.ReadResult != nil || f.Path != path {
			t.Errorf("%s: %+v", path, f)
		}
	}
	if f := byPath["img.png"]; f.Error != nil || f.Image != nil || f.MIMEType != "image/png" || f.Content != "" || !f.Truncated {
		t.Errorf("the image: %+v", f)
	}
	// The two long ones share what the others left, alike, and go on where they were cut.
	a, b := byPath["long"], byPath["longer"]
	if n, m := len(a.Content), len(b.Content); n < 12_000 || n-m > 100 || m-n > 100 || a.NextLine == 0 || b.NextLine == 0 || !a.Truncated {
		t.Errorf("%d and %d bytes of the long ones; next lines %d and %d", len(a.Content), len(b.Content), a.NextLine, b.NextLine)
	}
	rest := p.read(t, fs.ReadArgs{Path: "long", StartLine: a.NextLine, EndLine: a.NextLine})
	if !strings.HasPrefix(long[len(a.Content):], rest.Content) {
		t.Error("the rest does not follow")
	}
	text := got.TextContent()
	for _, says := range []string{
		"[a.go: 1 line, 10 bytes, utf-8, line ends lf, sha256 " + tag("package a\n") + "]\npackage a\n\n[missing.go: FILE_NOT_FOUND: ",
		"[img.png: image, ", "[not shown among several files; read it alone to see it]\n", fmt.Sprintf("[cut here; continue with startLine=%d]\n\n[.env: PERMISSION_DENIED: ", a.NextLine), "]\nx\n",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("does not say %q", says)
		}
	}
	if len(text) > 32<<10 {
		t.Errorf("the answer has %d bytes", len(text))
	}
}

func TestReadMany_SharedArguments(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a": "1\n2\n3\n", "b": "1\n", "c": "1\n2\n"})
	got, err := p.ReadMany(t.Context(), fs.ReadArgs{Paths: []string{"a", "b", "c"}, StartLine: 2, EndLine: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got.Files[0].Content != "2\n" || got.Files[2].Content != "2\n" || got.Files[1].Error == nil || got.Files[1].Error.Code != "BAD_RANGE" {
		t.Errorf("%+v", got)
	}
	if text := got.TextContent(); !strings.Contains(text, "\n2\t2\n") {
		t.Errorf("not numbered: %q", text)
	}
	got, err = p.ReadMany(t.Context(), fs.ReadArgs{Paths: []string{"a"}, Encoding: "binary"})
	if err != nil || got.Files[0].Content != "MQoyCjMK" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadMany_Refusals(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a": "1"})
	for _, tt := range []struct {
		args fs.ReadArgs
		says string
	}{
		{fs.ReadArgs{}, "neither path nor paths"},
		{fs.ReadArgs{Path: "a", Paths: []string{"a"}}, "path and paths"},
		{fs.ReadArgs{Path: "a"}, "call Read"},
		{fs.ReadArgs{Paths: []string{"a"}, Offset: 1}, "offset and paths"},
		{fs.ReadArgs{Paths: []string{"a"}, Length: 1}, "length and paths"},
		{fs.ReadArgs{Paths: make([]string, 51)}, "more than 50"},
		{fs.ReadArgs{Paths: []string{"a"}, Encoding: "klingon"}, "klingon"},
	} {
		_, err := p.ReadMany(t.Context(), tt.args)
		if err == nil || !strings.Contains(err.Error()+nextStep(err), tt.says) {
			t.Errorf("%+v: %v", tt.args, err)
		}
	}
	_, err := p.Read(t.Context(), fs.ReadArgs{Paths: []string{"a"}})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "ReadMany")
	_, err = p.Read(t.Context(), fs.ReadArgs{})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "neither")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.ReadMany(ctx, fs.ReadArgs{Paths: []string{"a"}})
	toolsettest.WantError(t, err, "CANCELLED")
}

func nextStep(err error) string {
	var advice interface{ NextStep() string }
	if errors.As(err, &advice) {
		return " " + advice.NextStep()
	}
	return ""
}

// TestReadMany_Budget reads files of all sizes within answers of all sizes. Small files are complete before large ones.
func TestReadMany_Budget(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{}
		var paths []string
		for i := range rapid.IntRange(1, 12).Draw(rt, "files") {
			name := fmt.Sprintf("f%02d", i)
			files[name] = strings.Repeat(rapid.SampledFrom([]string{"line\n", "a longer line of text\r\n", "日本\n", "no end "}).Draw(rt, "line"), rapid.IntRange(0, 2000).Draw(rt, "lines"))
			paths = append(paths, name)
		}
		budget := rapid.IntRange(6000, 60_000).Draw(rt, "budget")
		p := newProject(t, setup{answer: budget}, files)
		got, err := p.ReadMany(t.Context(), fs.ReadArgs{Paths: paths})
		if err != nil {
			rt.Fatal(err)
		}
		total, smallestCut, largestWhole := 0, 1<<30, 0
		for i, file := range got.Files {
			want := files[paths[i]]
			switch {
			case file.Error != nil:
				rt.Fatalf("%s: %+v", paths[i], file.Error)
			case !strings.HasPrefix(want, file.Content) || file.Truncated != (file.Content != want) || file.Truncated && file.NextLine+int(file.NextOffset) == 0:
				rt.Fatalf("%s: %d of %d bytes; %v, %d, %d", paths[i], len(file.Content), len(want), file.Truncated, file.NextLine, file.NextOffset)
			case file.Truncated:
				smallestCut = min(smallestCut, len(want))
			default:
				largestWhole = max(largestWhole, len(want))
			}
			total += len(file.Content)
		}
		if text := len(got.TextContent()); text > budget {
			rt.Fatalf("the answer has %d bytes of %d", text, budget)
		}
		if smallestCut < largestWhole {
			rt.Fatalf("a file of %d bytes is cut, and one of %d is not", smallestCut, largestWhole)
		}
	})
}

// TestReadMany_BudgetExceeded reads more files than an answer can hold.
func TestReadMany_BudgetExceeded(t *testing.T) {
	files := map[string]string{}
	var paths []string
	for i := range 50 {
		name := fmt.Sprint("file", i)
		files[name] = "x"
		paths = append(paths, name)
	}
	p := newProject(t, setup{answer: 5000}, files)
	got, err := p.ReadMany(t.Context(), fs.ReadArgs{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Files {
		if f.Error == nil || f.Error.Code != "RESULT_TOO_LARGE" || f.Error.Next == "" {
			t.Fatalf("%+v", f)
		}
	}
}

func TestReadMany_Tool(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a": "A\n", "b": "B\n"})
	got := toolsettest.Call(t, p, "read_file", `{"paths":["a","none","b"]}`)
	if s := toolsettest.Text(t, got); !strings.HasPrefix(s, "[a: 1 line") || !strings.Contains(s, "]\nA\n\n[none: FILE_NOT_FOUND: ") {
		t.Errorf("says %q", s)
	}
	answer := toolsettest.Structured[fs.ReadManyResult](t, got)
	if len(answer.Files) != 3 || answer.Files[0].Content != "A\n" || answer.Files[1].Error.Code != "FILE_NOT_FOUND" || answer.Files[2].SHA256 != digest("B\n") {
		t.Errorf("answers %s", got.Structured)
	}
	if strings.Contains(string(got.Structured), `"content":""`) {
		t.Errorf("a file that was not read has content: %s", got.Structured)
	}
	if one := toolsettest.Call(t, p, "read_file", `{"path":"a"}`); strings.Contains(string(one.Structured), "files") {
		t.Errorf("one file is answered as several: %s", one.Structured)
	}
	for _, args := range []string{`{}`, `{"path":"a","paths":["a"]}`, `{"paths":[]}`, `{"paths":"a"}`, `{"paths":["a"],"offset":1}`} {
		if got := toolsettest.Call(t, p, "read_file", args); !got.IsError || !strings.Contains(toolsettest.Text(t, got), "path") {
			t.Errorf("%s: %s", args, toolsettest.Text(t, got))
		}
	}
	tool := toolsettest.Tool(t, p, "read_file").Tool()
	if size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema); size > 800 {
		t.Errorf("read_file takes %d bytes of every conversation", size)
	}
	var schema struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(tool.OutputSchema, &schema); err != nil || len(schema.Required) > 0 || schema.Properties["files"] == nil || schema.Properties["content"] == nil {
		t.Errorf("the schema of the answer is %s, %v", tool.OutputSchema, err)
	}
}
