package fs_test

import (
	"context"
	"encoding/base64"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestWrite_NewFile(t *testing.T) {
	tests := []struct {
		name string
		args fs.WriteArgs
		want string
	}{
		{"as it is", fs.WriteArgs{Content: "a\r\nb\nc"}, "a\r\nb\nc"},
		{"nothing", fs.WriteArgs{}, ""},
		{"lf", fs.WriteArgs{Content: "a\r\nb\nc\n", EOL: "lf"}, "a\nb\nc\n"},
		{"crlf", fs.WriteArgs{Content: "a\r\nb\nc", EOL: "crlf"}, "a\r\nb\r\nc"},
		{"shift-jis", fs.WriteArgs{Content: "日本語\n", Encoding: "shift-jis"}, "\x93\xfa\x96\x7b\x8c\xea\n"},
		{"euc-jp", fs.WriteArgs{Content: "日本語\n", Encoding: "eucjp"}, "\xc6\xfc\xcb\xdc\xb8\xec\n"},
		{"iso-2022-jp", fs.WriteArgs{Content: "日本語\n", Encoding: "iso-2022-jp"}, "\x1b$BF|K\\8l\x1b(B\n"},
		{"utf-16le", fs.WriteArgs{Content: "日\n", Encoding: "utf-16le"}, "\xFF\xFE\xe5\x65\n\x00"},
		{"utf-16be", fs.WriteArgs{Content: "日\n", Encoding: "utf-16be"}, "\xFE\xFF\x65\xe5\x00\n"},
		{"utf-16", fs.WriteArgs{Content: "日\n", Encoding: "utf-16"}, "\xFF\xFE\xe5\x65\n\x00"},
		{"a mark of its own", fs.WriteArgs{Content: "\uFEFF日", Encoding: "utf-16le"}, "\xFF\xFE\xe5\x65"},
		{"utf-8 with a mark", fs.WriteArgs{Content: "\uFEFF日"}, "\xEF\xBB\xBF日"},
		{"appended", fs.WriteArgs{Content: "a\n", Mode: "append"}, "a\n"},
		{"binary", fs.WriteArgs{Content: "AAH/\n /w==", Encoding: "binary"}, "\x00\x01\xff\xff"},
		{"binary without padding", fs.WriteArgs{Content: "AAH//w", Encoding: "binary"}, "\x00\x01\xff\xff"},
		{"only a new one", fs.WriteArgs{Content: "日\n", Overwrite: new(false)}, "日\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, setup{}, nil)
			tt.args.Path = "f.txt"
			got := p.write(t, tt.args)
			if on := p.bytes(t, "f.txt"); on != tt.want {
				t.Errorf("wrote %q, want %q", on, tt.want)
			}
			n := int64(len(tt.want))
			if !got.Success || !got.Created || got.Path != "f.txt" || got.Size != n || got.BytesWritten != n || got.SHA256 != digest(tt.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestWrite_KeepsEncoding(t *testing.T) {
	tests := []struct {
		name, old string
		args      fs.WriteArgs
		want      string
		encoding  string
	}{
		{"crlf", "a\r\nb\r\n", fs.WriteArgs{Content: "x\ny\nz"}, "x\r\ny\r\nz", "utf-8"},
		{"lf", "a\nb\n", fs.WriteArgs{Content: "x\r\ny\r\n"}, "x\ny\n", "utf-8"},
		{"mixed", "a\r\nb\nc\n", fs.WriteArgs{Content: "a\nb\nd\n"}, "a\r\nb\nd\n", "utf-8"},
		{"other line ends if asked for", "a\r\nb\r\n", fs.WriteArgs{Content: "x\ny\n", EOL: "lf"}, "x\ny\n", "utf-8"},
		{"mark", "\xEF\xBB\xBFa\r\n", fs.WriteArgs{Content: "日\n"}, "\xEF\xBB\xBF日\r\n", "utf-8"},
		{"mark that is sent again", "\xEF\xBB\xBFa\r\n", fs.WriteArgs{Content: "\uFEFF日\n"}, "\xEF\xBB\xBF日\r\n", "utf-8"},
		{"utf-16", samples[2].raw, fs.WriteArgs{Content: "A\n"}, "\xFF\xFEA\x00\r\x00\n\x00", "utf-16le"},
		{"shift-jis", "\x93\xfa\x96\x7b\r\n", fs.WriteArgs{Content: "日本語\n"}, "\x93\xfa\x96\x7b\x8c\xea\r\n", "shift-jis"},
		{"another code for the same character", "\xEE\xE0\x8B\xB4\r\nx\r\n", fs.WriteArgs{Content: "髙橋\ny\n"}, "\xEE\xE0\x8B\xB4\r\ny\r\n", "shift-jis"},
		{"converted", "\x93\xfa\x96\x7b\r\n", fs.WriteArgs{Content: "日本\n", Encoding: "utf-8"}, "日本\r\n", "utf-8"},
		{"converted to utf-16", "\xEF\xBB\xBFa\r\n", fs.WriteArgs{Content: "a\n", Encoding: "utf-16be"}, "\xFE\xFF\x00a\x00\r\x00\n", "utf-16be"},
		{"empty", "", fs.WriteArgs{Content: "a\r\nb\n"}, "a\r\nb\n", "utf-8"},
		{"binary becomes text", "\x00\x00\x03\xFF\x00\x00\x03\xFF", fs.WriteArgs{Content: "日\n"}, "日\n", "utf-8"},
		{"text becomes binary", "a\n", fs.WriteArgs{Content: "AAH/", Encoding: "binary"}, "\x00\x01\xff", "binary"},
		{"broken characters", "日本語日本語日本語日本語\xFF\r\n", fs.WriteArgs{Content: "日\n"}, "日\r\n", "utf-8"},
		{"appended", "a\r\nb", fs.WriteArgs{Content: "c\nd\n", Mode: "append"}, "a\r\nbc\r\nd\r\n", "utf-8"},
		{"appended in shift-jis", "\x93\xfa\x96\x7b\n", fs.WriteArgs{Content: "日\n", Mode: "append"}, "\x93\xfa\x96\x7b\n\x93\xfa\n", "shift-jis"},
		{"appended in iso-2022-jp", "\x1b$BF|\x1b(B\n", fs.WriteArgs{Content: "日\n", Mode: "append"}, "\x1b$BF|\x1b(B\n\x1b$BF|\x1b(B\n", "iso-2022-jp"},
		{"appended to ASCII in shift-jis", "a\n", fs.WriteArgs{Content: "日\n", Mode: "append", Encoding: "shift-jis"}, "a\n\x93\xfa\n", "shift-jis"},
		{"appended to nothing", "", fs.WriteArgs{Content: "日\n", Mode: "append"}, "日\n", "utf-8"},
		{"appended behind a mark", "\xFF\xFEa\x00", fs.WriteArgs{Content: "\uFEFFb", Mode: "append"}, "\xFF\xFEa\x00b\x00", "utf-16le"},
		{"appended bytes", "a\n", fs.WriteArgs{Content: "AAH/", Mode: "append", Encoding: "binary"}, "a\n\x00\x01\xff", "binary"},
	}
	for _, tt := range tests {
		// A file that is too large to be held is treated alike, as far as its beginning shows its kind.
		for _, large := range []bool{false, true} {
			name, s := tt.name, setup{}
			if large {
				name += " in a large file"
				s.maxFile = 12
			}
			if large && (int64(len(tt.old)) <= s.maxFile || len(tt.args.Content) > 12 || strings.Contains(name, "same character")) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				p := newProject(t, s, map[string]string{"f.txt": tt.old})
				tt.args.Path = "f.txt"
				got := p.write(t, tt.args)
				if on := p.bytes(t, "f.txt"); on != tt.want {
					t.Errorf("wrote %q, want %q", on, tt.want)
				}
				written := int64(len(tt.want))
				if tt.args.Mode == "append" {
					written -= int64(len(tt.old))
				}
				if got.Created || got.Size != int64(len(tt.want)) || got.BytesWritten != written || got.Encoding != tt.encoding || got.SHA256 != digest(tt.want) {
					t.Errorf("got %+v, want %d written as %s", got, written, tt.encoding)
				}
			})
		}
	}
}

func TestWrite_LargeFile(t *testing.T) {
	const limit = 20
	sjis := strings.Repeat("\x93\xfa\x96\x7b\x8c\xea\r\n", 10) // 日本語
	utf16 := "\xFF\xFE" + strings.Repeat("a\x00\r\x00\n\x00", 10)
	tests := []struct {
		name, old string
		args      fs.WriteArgs
		want      string
	}{
		{"replaced", sjis, fs.WriteArgs{Content: "日\n"}, "\x93\xfa\r\n"},
		{"appended", sjis, fs.WriteArgs{Content: "日\n", Mode: "append"}, sjis + "\x93\xfa\r\n"},
		{"converted", sjis, fs.WriteArgs{Content: "日\n", Encoding: "utf-16le"}, "\xFF\xFE\xe5\x65\r\x00\n\x00"},
		{"mark kept", utf16, fs.WriteArgs{Content: "b\n"}, "\xFF\xFEb\x00\r\x00\n\x00"},
		{"appended behind a mark", utf16, fs.WriteArgs{Content: "b\n", Mode: "append", Encoding: "utf-16"}, utf16 + "b\x00\r\x00\n\x00"},
		{"bytes", sjis, fs.WriteArgs{Content: "AAH/", Encoding: "binary"}, "\x00\x01\xff"},
		{"bytes appended", sjis, fs.WriteArgs{Content: "AAH/", Encoding: "binary", Mode: "append"}, sjis + "\x00\x01\xff"},
		{"no text before", strings.Repeat("\x00\x00\x03\xFF", 10), fs.WriteArgs{Content: "日\n"}, "日\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, setup{maxFile: limit}, map[string]string{"f.txt": tt.old})
			tt.args.Path, tt.args.ExpectedSHA256 = "f.txt", digest(tt.old)
			got := p.write(t, tt.args)
			if on := p.bytes(t, "f.txt"); on != tt.want || got.SHA256 != digest(tt.want) {
				t.Errorf("wrote %q, want %q: %+v", on, tt.want, got)
			}
		})
	}
	p := newProject(t, setup{maxFile: limit}, map[string]string{"sjis": sjis, "binary": strings.Repeat("\x00\x00\x03\xFF", 10)})
	_, err := p.Write(t.Context(), fs.WriteArgs{Path: "sjis", Content: "日", Mode: "append", Encoding: "utf-8"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "shift-jis", "utf-8", "leave encoding out")
	_, err = p.Write(t.Context(), fs.WriteArgs{Path: "binary", Content: "日", Mode: "append"})
	toolsettest.WantError(t, err, "BINARY_FILE")
}

func TestWrite_Refusals(t *testing.T) {
	files := map[string]string{"f.txt": "\x93\xfa\x96\x7b\r\n", "utf8": "日本語\n", "zip": "PK\x03\x04\x00\x00\x00\x01", "dir/": "", ".env": "SECRET=1\n", "broken": "日本語日本語日本語日本語\xFF\r\n"}
	p := newProject(t, setup{maxFile: 100}, files)
	tests := []struct {
		name string
		args fs.WriteArgs
		code string
		says []string
	}{
		{"character that the encoding lacks", fs.WriteArgs{Path: "f.txt", Content: "日本\nab😀\n"}, "UNENCODABLE_CHARACTER", []string{`"f.txt"`, "line 2", "😀", "shift-jis", "utf-8"}},
		{"the same, appended", fs.WriteArgs{Path: "f.txt", Content: "😀", Mode: "append"}, "UNENCODABLE_CHARACTER", []string{"line 2"}},
		{"no text at all", fs.WriteArgs{Path: "f.txt", Content: "\xFF", Encoding: "utf-8"}, "UNENCODABLE_CHARACTER", nil},
		{"existing file", fs.WriteArgs{Path: "f.txt", Overwrite: new(false)}, "ALREADY_EXISTS", []string{"overwrite=true"}},
		{"stale", fs.WriteArgs{Path: "f.txt", Content: "x", ExpectedSHA256: tag("other")}, "STALE_FILE", []string{tag("other"), tag(files["f.txt"]), "Read the file again"}},
		{"stale, by the whole digest", fs.WriteArgs{Path: "f.txt", Content: "x", ExpectedSHA256: digest("other")}, "STALE_FILE", []string{tag("other"), tag(files["f.txt"])}},
		{"no digest", fs.WriteArgs{Path: "f.txt", Content: "x", ExpectedSHA256: "abc"}, "INVALID_PARAMS", []string{"sha256"}},
		{"seven digits", fs.WriteArgs{Path: "f.txt", Content: "x", ExpectedSHA256: digest(files["f.txt"])[:7]}, "INVALID_PARAMS", []string{"8 to 64"}},
		{"no hexadecimal digits", fs.WriteArgs{Path: "f.txt", Content: "x", ExpectedSHA256: "xyzxyzxyz"}, "INVALID_PARAMS", []string{"8 to 64"}},
		{"expected, but missing", fs.WriteArgs{Path: "g.txt", Content: "x", ExpectedSHA256: digest("")}, "FILE_NOT_FOUND", nil},
		{"missing directory", fs.WriteArgs{Path: "no/such/f.txt", Content: "x"}, "FILE_NOT_FOUND", []string{"createDirectories=true"}},
		{"directory", fs.WriteArgs{Path: "dir", Content: "x"}, "IS_A_DIRECTORY", nil},
		{"secret", fs.WriteArgs{Path: ".env", Content: "x"}, "PERMISSION_DENIED", nil},
		{"outside", fs.WriteArgs{Path: "../f.txt", Content: "x"}, "PERMISSION_DENIED", nil},
		{"too much", fs.WriteArgs{Path: "f.txt", Content: strings.Repeat("x", 101)}, "FILE_TOO_LARGE", []string{"101", "100", "mode=append"}},
		{"no mode", fs.WriteArgs{Path: "f.txt", Mode: "prepend"}, "INVALID_PARAMS", []string{"prepend"}},
		{"no line end", fs.WriteArgs{Path: "f.txt", EOL: "cr"}, "UNKNOWN_LINE_END_POLICY", []string{"crlf"}},
		{"no encoding", fs.WriteArgs{Path: "f.txt", Encoding: "morse"}, "UNKNOWN_ENCODING", []string{"morse"}},
		{"no base64", fs.WriteArgs{Path: "f.txt", Content: "%%", Encoding: "binary"}, "INVALID_PARAMS", []string{"base64"}},
		{"line ends of bytes", fs.WriteArgs{Path: "f.txt", Encoding: "binary", EOL: "lf"}, "INVALID_PARAMS", []string{"eol", "binary"}},
		{"text behind bytes", fs.WriteArgs{Path: "zip", Content: "x", Mode: "append"}, "BINARY_FILE", []string{"encoding=binary"}},
		{"two encodings in a file", fs.WriteArgs{Path: "utf8", Content: "日", Mode: "append", Encoding: "shift-jis"}, "INVALID_PARAMS", []string{"utf-8", "shift-jis"}},
		{"behind broken characters", fs.WriteArgs{Path: "broken", Content: "x", Mode: "append"}, "MALFORMED_TEXT", []string{"broken", "FF"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Write(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
			for name, content := range files {
				if !strings.HasSuffix(name, "/") && p.bytes(t, name) != content {
					t.Errorf("%s has changed", name)
				}
			}
			if entries, err := os.ReadDir(p.dir); err != nil || len(entries) != len(files) {
				t.Errorf("something was left behind: %v, %v", entries, err)
			}
		})
	}
}

func TestWrite_Options(t *testing.T) {
	p := newProject(t, setup{options: fs.Options{CreateDirectories: true, CreateBackup: true, NewFileEncoding: "sjis"}}, map[string]string{"f.txt": "old\n"})
	if got := p.write(t, fs.WriteArgs{Path: "a/b/c.txt", Content: "日\n"}); got.Encoding != "shift-jis" || p.bytes(t, "a/b/c.txt") != "\x93\xfa\n" {
		t.Errorf("a new file: %+v", got)
	}
	got := p.write(t, fs.WriteArgs{Path: "f.txt", Content: "new\n"})
	if got.BackupPath == "" || p.bytes(t, got.BackupPath) != "old\n" {
		t.Errorf("no backup: %+v", got)
	}
	if text := got.TextContent(); !strings.Contains(text, got.BackupPath) {
		t.Errorf("the text does not tell the backup: %q", text)
	}
	if back := p.read(t, fs.ReadArgs{Path: got.BackupPath}); back.Content != "old\n" {
		t.Errorf("the backup reads as %q", back.Content)
	}
	if got := p.write(t, fs.WriteArgs{Path: "f.txt", Content: "newer\n", CreateBackup: new(false), ExpectedSHA256: got.SHA256}); got.BackupPath != "" {
		t.Errorf("a backup that was not wanted: %+v", got)
	}
	_, err := p.Write(t.Context(), fs.WriteArgs{Path: "x/y.txt", CreateDirectories: new(false)})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")

	plain := newProject(t, setup{}, nil)
	if got := plain.write(t, fs.WriteArgs{Path: "x/y.txt", Content: "1", CreateDirectories: new(true)}); !got.Created {
		t.Errorf("got %+v", got)
	}
	readOnly := newProject(t, setup{readOnly: true}, nil)
	_, err = readOnly.Write(t.Context(), fs.WriteArgs{Path: "f", Content: "x"})
	toolsettest.WantError(t, err, "PERMISSION_DENIED")
}

// TestWrite_UnreadFileBackup overwrites through a client, which reads the file or does not.
func TestWrite_UnreadFileBackup(t *testing.T) {
	overwrite := map[string]any{"path": "f", "content": "new"}
	for _, tt := range []struct {
		name   string
		before string // a tool that is called first
		args   map[string]any
		backup bool
	}{
		{"unread", "", overwrite, true},
		{"unread, although no backup is wanted", "", map[string]any{"path": "f", "content": "new", "createBackup": false}, true},
		{"read", "read_file", overwrite, false},
		{"known by its sha256", "", map[string]any{"path": "f", "content": "new", "expectedSha256": digest("old")}, false},
		{"appended to", "", map[string]any{"path": "f", "content": "new", "mode": "append"}, false},
		{"same content", "", map[string]any{"path": "f", "content": "old"}, false},
		{"new", "", map[string]any{"path": "g", "content": "new"}, false},
	} {
		p := newProject(t, setup{}, map[string]string{"f": "old"})
		client, _ := p.user(t, protocol.Latest, "")
		if tt.before != "" {
			if _, err := mcp.Call[fs.ReadResult](t.Context(), client, tt.before, map[string]any{"path": "f"}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := mcp.Call[fs.WriteResult](t.Context(), client, "write_file", tt.args)
		if err != nil || (got.BackupPath != "") != tt.backup || tt.backup && p.bytes(t, got.BackupPath) != "old" {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
		// The caller knows what it has just written.
		tt.args["content"] = "newer"
		if tt.args["expectedSha256"] == nil {
			if got, err = mcp.Call[fs.WriteResult](t.Context(), client, "write_file", tt.args); err != nil || got.BackupPath != "" && tt.name != "appended to" {
				t.Errorf("%s, again: %+v, %v", tt.name, got, err)
			}
		}
	}
}

// TestWrite_LargeUnreadFileBackup overwrites a file beyond the limit for files that are read as a whole.
func TestWrite_LargeUnreadFileBackup(t *testing.T) {
	old := strings.Repeat("0123456789", 1000)
	p := newProject(t, setup{maxFile: 1000}, map[string]string{"f": old})
	if got := p.write(t, fs.WriteArgs{Path: "f", Content: "new"}); got.BackupPath == "" || p.bytes(t, got.BackupPath) != old {
		t.Errorf("%+v", got)
	}
}

func TestWrite_Unchanged(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "same\r\n"})
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(p.path("f.txt"), past, past); err != nil {
		t.Fatal(err)
	}
	got := p.write(t, fs.WriteArgs{Path: "f.txt", Content: "same\n", CreateBackup: new(true)})
	if !got.Unchanged || got.BytesWritten != 0 || got.Size != 6 || got.BackupPath != "" || got.SHA256 != digest("same\r\n") {
		t.Errorf("got %+v", got)
	}
	if info, err := os.Stat(p.path("f.txt")); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("the file was written anyway: %v, %v", info.ModTime(), err)
	}
	if got := p.write(t, fs.WriteArgs{Path: "f.txt"}); got.Unchanged || got.Size != 0 {
		t.Errorf("emptied: %+v", got)
	}
}

func TestWrite_ModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs mode bits and links")
	}
	p := newProject(t, setup{}, map[string]string{"run.sh": "old\n", "link": "-> run.sh"})
	if err := os.Chmod(p.path("run.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	if got := p.write(t, fs.WriteArgs{Path: "link", Content: "new\n"}); got.Path != "run.sh" {
		t.Errorf("got %+v", got)
	}
	if info, err := os.Lstat(p.path("run.sh")); err != nil || info.Mode() != 0o751 || p.bytes(t, "run.sh") != "new\n" {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(p.path("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestWrite_RoundTrip(t *testing.T) {
	for _, s := range samples {
		p := newProject(t, setup{}, map[string]string{"f.txt": s.raw})
		was := p.read(t, fs.ReadArgs{Path: "f.txt"})
		changed := strings.Replace(was.Content, "ABC", "日本", 1)
		done := p.write(t, fs.WriteArgs{Path: "f.txt", Content: changed, ExpectedSHA256: was.SHA256})
		now := p.read(t, fs.ReadArgs{Path: "f.txt"})
		if now.Content != changed || now.Encoding != was.Encoding || now.BOM != was.BOM || now.EOL != was.EOL || now.SHA256 != done.SHA256 {
			t.Errorf("%s: read %+v", s.encoding, now)
		}
		p.write(t, fs.WriteArgs{Path: "f.txt", Content: was.Content, ExpectedSHA256: done.SHA256})
		// Where text was taken out of ISO-2022-JP, its escapes may be left.
		if got := p.bytes(t, "f.txt"); got != s.raw && s.encoding != "iso-2022-jp" {
			t.Errorf("%s: back again it is %q, want %q", s.encoding, got, s.raw)
		}
	}
	data := "\x00\x01\xFE\xFF"
	p := newProject(t, setup{}, nil)
	p.write(t, fs.WriteArgs{Path: "b", Content: base64.StdEncoding.EncodeToString([]byte(data)), Encoding: "binary"})
	if got := p.read(t, fs.ReadArgs{Path: "b", Encoding: "binary"}); got.Content != base64.StdEncoding.EncodeToString([]byte(data)) {
		t.Errorf("bytes read as %q", got.Content)
	}
}

// Of several writers that know the same state of a file, one succeeds; the others are refused.
func TestWrite_Concurrent(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "start\n"})
	const writers, rounds = 4, 10
	for range rounds {
		was := p.read(t, fs.ReadArgs{Path: "f.txt"})
		errs := make([]error, writers)
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				_, errs[i] = p.Write(context.Background(), fs.WriteArgs{Path: "f.txt", Content: was.Content + string(rune('a'+i)) + "\n", ExpectedSHA256: was.SHA256})
			})
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			toolsettest.WantError(t, err, "STALE_FILE", was.SHA256[:12])
		}
		if won != 1 {
			t.Fatalf("%d writers got through", won)
		}
	}
	if got := p.read(t, fs.ReadArgs{Path: "f.txt"}); got.TotalLines != 1+rounds {
		t.Errorf("there are %d lines, want %d: an update was lost", got.TotalLines, 1+rounds)
	}
}

func TestAppend_Concurrent(t *testing.T) {
	p := newProject(t, setup{}, nil)
	const writers, rounds = 4, 10
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range rounds {
				if _, err := p.Write(context.Background(), fs.WriteArgs{Path: "log", Content: "line\n", Mode: "append"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := p.read(t, fs.ReadArgs{Path: "log"}); got.TotalLines != writers*rounds {
		t.Errorf("there are %d lines, want %d", got.TotalLines, writers*rounds)
	}
}

// TestWrite_ShortDigest names the content by the beginning of its digest, as texts show it.
func TestWrite_ShortDigest(t *testing.T) {
	p := newProject(t, setup{}, nil)
	content := "0"
	for i, length := range []int{12, 8, 64, 9, 63} {
		p.put(t, "f", content)
		next := content + strconv.Itoa(i)
		p.write(t, fs.WriteArgs{Path: "f", Content: next, ExpectedSHA256: strings.ToUpper(digest(content)[:length])})
		p.edit(t, fs.EditArgs{Path: "f", Edits: edits(next, next+"!"), ExpectedSHA256: digest(next)[:length]})
		content = next + "!"
		if p.bytes(t, "f") != content {
			t.Fatalf("%d digits: the file is %q", length, p.bytes(t, "f"))
		}
	}
	if _, err := p.Delete(t.Context(), fs.DeleteArgs{Path: "f", ExpectedSHA256: tag("other")}); err == nil {
		t.Error("a file with another digest is deleted")
	}
	if _, err := p.Delete(t.Context(), fs.DeleteArgs{Path: "f", ExpectedSHA256: tag(content)}); err != nil {
		t.Error(err)
	}
}
