package fs_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func (p project) described(t testing.TB, path string) fs.FileInfo {
	t.Helper()
	got, err := p.Info(t.Context(), fs.InfoArgs{Path: path})
	if err != nil {
		t.Fatalf("describing %s: %v", path, err)
	}
	return got
}

// TestInfo_Files describes files of every encoding, small ones and, by a small limit, large ones.
func TestInfo_Files(t *testing.T) {
	type want struct {
		raw, encoding, eol, mime string
		bom                      bool
		lines                    int
	}
	tests := map[string]want{
		"empty":        {"", "utf-8", "none", "", false, 0},
		"ascii":        {"a\nb", "utf-8", "lf", "", false, 2},
		"mixed":        {"a\nb\r\nc\n", "utf-8", "mixed", "", false, 3},
		"old mac":      {"a\rb\r", "utf-8", "cr", "", false, 2},
		"bytes":        {"\x00\x00\x03\xff\x00\x00\x03\xff", "binary", "", "application/octet-stream", false, 0},
		"picture":      {picture(t, 100), "binary", "", "image/png", false, 0},
		"late kanji":   {strings.Repeat("ascii only\n", 9000) + strings.Repeat("\x93\xfa\x96\x7b\x8c\xea\n", 10), "shift-jis", "lf", "", false, 9010},
		"late unicode": {strings.Repeat("ascii only\r\n", 9000) + "日本語", "utf-8", "crlf", "", false, 9001},
	}
	for _, s := range samples {
		name := "sample in " + s.encoding
		if s.bom {
			name += " with a mark"
		}
		tests[name] = want{s.raw, s.encoding, "crlf", "", s.bom, 2}
	}
	for name, tt := range tests {
		for _, maxFile := range []int64{0, 4} {
			p := newProject(t, setup{maxFile: maxFile}, map[string]string{"f": tt.raw})
			got := p.described(t, "f")
			if got.Type != "file" || got.Size != int64(len(tt.raw)) || got.SHA256 != digest(tt.raw) || got.Problem != "" || got.Path != "f" {
				t.Errorf("%s (%d): %+v", name, maxFile, got)
			}
			if got.Encoding != tt.encoding || got.EOL != tt.eol || got.BOM != tt.bom || got.TotalLines != tt.lines || got.MIMEType != tt.mime {
				t.Errorf("%s (%d): %s %s %v %d %s", name, maxFile, got.Encoding, got.EOL, got.BOM, got.TotalLines, got.MIMEType)
			}
		}
	}
}

func TestInfo_DirectoriesAndLinks(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"dir/a": "a", "dir/.hidden": "b", "dir/.env": "SECRET=1", "empty/": "", "link": "-> dirlink/a", "dirlink": "-> dir", "dangling": "-> none", "outward": "-> ..", "toEnv": "-> dir/.env",
	})
	if err := os.Chtimes(p.path("dir/a"), time.Unix(1e9, 0), time.Unix(1.1e9, 5e6)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.path("dir/a"), 0o640); err != nil {
		t.Fatal(err)
	}
	dir := p.described(t, "dirlink/../dir")
	if dir.Type != "directory" || dir.Path != "dir" || dir.Entries == nil || *dir.Entries != 2 || dir.SHA256 != "" {
		t.Errorf("directory: %+v", dir)
	}
	if empty := p.described(t, "empty"); empty.Entries == nil || *empty.Entries != 0 || !strings.Contains(empty.TextContent(), "entries: 0\n") {
		t.Errorf("empty directory: %+v", empty)
	}
	if top := p.described(t, "."); top.Type != "directory" || top.Path != "." {
		t.Errorf("project: %+v", top)
	}
	file := p.described(t, "dirlink/a")
	if file.Path != "dir/a" || !file.LastModified.Equal(time.Unix(1.1e9, 5e6)) || file.LastModified.Location() != time.UTC {
		t.Errorf("file through a link to its directory: %+v", file)
	}
	if runtime.GOOS != "windows" && (file.Permissions != "rw-r-----" || file.Mode != "0640" || !file.LastAccessed.Equal(time.Unix(1e9, 0))) {
		t.Errorf("permissions and times: %+v", file)
	}
	link := p.described(t, "link")
	if link.Type != "symlink" || link.Path != "link" || link.Target != "dir/a" || link.TargetType != "file" || link.SHA256 != digest("a") || link.Size != 1 {
		t.Errorf("link: %+v", link)
	}
	if text := link.TextContent(); !strings.HasPrefix(text, "[link: link to the file dir/a]\nsize: 1 byte\nmodified: 2004-11-09T11:33:20Z\n") || !strings.Contains(text, "encoding: utf-8\nline ends: none\nlines: 1\nsha256: "+tag("a")+"\n") {
		t.Errorf("link: says %q", text)
	}
	if link := p.described(t, "dirlink"); link.Target != "dir" || link.TargetType != "directory" || *link.Entries != 2 {
		t.Errorf("link to a directory: %+v", link)
	}
	for name, code := range map[string]string{"dangling": "FILE_NOT_FOUND", "outward": "PERMISSION_DENIED", "toEnv": "PERMISSION_DENIED"} {
		if got := p.described(t, name); got.Type != "symlink" || got.Target != "" || got.SHA256 != "" || !strings.HasSuffix(got.Problem, code) || !strings.Contains(got.TextContent(), code) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestInfo_Refusals(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "x", ".env": "SECRET=1"})
	for path, code := range map[string]string{"fil": "FILE_NOT_FOUND", ".env": "PERMISSION_DENIED", "../x": "PERMISSION_DENIED", "file/x": "NOT_A_DIRECTORY"} {
		_, err := p.Info(t.Context(), fs.InfoArgs{Path: path})
		toolsettest.WantError(t, err, code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Info(ctx, fs.InfoArgs{Path: "file"})
	toolsettest.WantError(t, err, "CANCELLED")
}

// TestInfo_HugeFiles reads files up to the limit in little memory. Of larger files it returns only the members that need no
// reading.
func TestInfo_HugeFiles(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"large": "", "huge": ""})
	for name, size := range map[string]int64{"large": 16 << 20, "huge": 1<<30 + 1} {
		if err := os.Truncate(p.path(name), size); err != nil {
			t.Skip("the file system has no sparse files")
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	large := p.described(t, "large")
	runtime.ReadMemStats(&after)
	if large.Size != 16<<20 || large.SHA256 != "080acf35a507ac9849cfcba47dc2ad83e01b75663a516279c8b9d243b719643e" || large.Encoding != "binary" {
		t.Errorf("large: %+v", large)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
		t.Errorf("took %d bytes for a file of 16 MiB", used)
	}
	huge := p.described(t, "huge")
	if huge.Size != 1<<30+1 || huge.SHA256 != "" || !strings.Contains(huge.Problem, "1073741824 bytes") || huge.Permissions == "" {
		t.Errorf("huge: %+v", huge)
	}
}
