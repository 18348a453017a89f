package fs_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
)

// picture is a PNG file with some bytes behind it.
func picture(t testing.TB, behind int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.String() + strings.Repeat("\x00", behind)
}

func TestRead_Binary(t *testing.T) {
	data := strings.Repeat("\x00\x00\x03\xFF", 20_000)
	p := newProject(t, setup{}, map[string]string{"data.bin": data, "text": "plain\n", "small": "\x00\x00\x03\xFF"})
	t.Run("asked for", func(t *testing.T) {
		got := p.read(t, fs.ReadArgs{Path: "text", Encoding: "binary"})
		if got.Content != base64.StdEncoding.EncodeToString([]byte("plain\n")) || got.Encoding != "binary" || got.Truncated {
			t.Errorf("got %+v", got)
		}
		if got.MIMEType != "text/plain; charset=utf-8" || got.Size != 6 || got.SHA256 != digest("plain\n") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("answers join", func(t *testing.T) {
		var all strings.Builder
		for args := (fs.ReadArgs{Path: "data.bin", Encoding: "binary"}); ; {
			got := p.read(t, args)
			all.WriteString(got.Content)
			if args.Offset = got.NextOffset; args.Offset == 0 {
				break
			}
			if !got.Truncated {
				t.Fatal("there is more, but it is not called truncated")
			}
		}
		if joined, err := base64.StdEncoding.DecodeString(all.String()); err != nil || string(joined) != data {
			t.Errorf("joined to %d bytes, %v", len(joined), err)
		}
	})
	t.Run("range", func(t *testing.T) {
		got := p.read(t, fs.ReadArgs{Path: "data.bin", Offset: 3, Length: 2})
		if got.Content != base64.StdEncoding.EncodeToString([]byte{0xFF, 0}) || got.Offset != 3 || got.NextOffset != 5 || got.Truncated {
			t.Errorf("got %+v", got)
		}
		if got := p.read(t, fs.ReadArgs{Path: "data.bin", Offset: 80_000}); got.Content != "" || got.NextOffset != 0 {
			t.Errorf("at the end: %+v", got)
		}
	})
	t.Run("auto shows the beginning", func(t *testing.T) {
		got := p.read(t, fs.ReadArgs{Path: "data.bin"})
		if raw, err := base64.StdEncoding.DecodeString(got.Content); err != nil || string(raw) != data[:1024] || !got.Truncated {
			t.Errorf("got %d bytes, %v, truncated %v", len(raw), err, got.Truncated)
		}
		if text := got.TextContent(); !strings.HasSuffix(text, "[cut here; continue with encoding=binary and offset=1024]") {
			t.Errorf("the text ends with %q", text[len(text)-80:])
		}
		if got := p.read(t, fs.ReadArgs{Path: "small"}); got.Truncated || got.Content == "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("not held", func(t *testing.T) {
		got := p.read(t, fs.ReadArgs{Path: "data.bin", Encoding: "binary", MaxSize: 3})
		if got.Content != base64.StdEncoding.EncodeToString([]byte(data[:3])) || !got.Truncated || got.NextOffset != 3 || got.SHA256 != "" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRead_Image(t *testing.T) {
	small := picture(t, 0)
	p := newProject(t, setup{}, map[string]string{"small.png": small, "fake.png": "no image\n", "big.png": picture(t, 3_750_000)})
	got := p.read(t, fs.ReadArgs{Path: "small.png"})
	if string(got.Image) != small || got.MIMEType != "image/png" || got.Content != "" || got.Encoding != "binary" || got.Truncated {
		t.Errorf("got %+v", got)
	}
	got = p.read(t, fs.ReadArgs{Path: "small.png", Encoding: "binary"})
	if string(got.Image) != small || got.Content != base64.StdEncoding.EncodeToString([]byte(small)) {
		t.Errorf("as binary: %+v", got)
	}
	for _, args := range []fs.ReadArgs{
		{Path: "small.png", Length: 8}, {Path: "big.png"}, {Path: "small.png", MaxSize: 8}, {Path: "fake.png"},
	} {
		if got := p.read(t, args); got.Image != nil || got.Content == "" {
			t.Errorf("%+v is taken for an image, or is empty: %+v", args, got)
		}
	}
}
