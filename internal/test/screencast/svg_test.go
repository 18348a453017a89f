//go:build unix

package screencast

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// printed returns the screen of a terminal with 40 columns and 5 rows after the output of a command of the shell.
func printed(t *testing.T, command, awaited string) Screen {
	t.Helper()
	return Start(t, exec.CommandContext(t.Context(), "sh", "-c", command+"; read line"), 40, 5).Await(awaited)
}

func TestTerminal_TypesAndShows(t *testing.T) {
	term := Start(t, exec.CommandContext(t.Context(), "sh", "-c", `read name; printf '\033[31mred %s\033[0m 日本 & <end>' "$name"; read line`), 12, 5)
	term.Type("x\r")
	s := term.Await("<end>")
	if diff := cmp.Diff([]string{"x", "red x 日本 &", " <end>", "", ""}, s.Lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if !s.Contains("red x 日本 & <end>") || s.Contains("blue") {
		t.Errorf("the screen is %q", s)
	}
}

func TestTerminal_HidesTitles(t *testing.T) {
	s := printed(t, `printf 'a\033]0;\342\234\263 title\007b\033]2;\342'; printf '\234\263 other\033\\c<end>'`, "<end>")
	if got := s.String(); got != "abc<end>" {
		t.Errorf("the screen is %q", got)
	}
}

func TestSVG_FramesAndText(t *testing.T) {
	first := printed(t, `printf '\033[1;32mgreen\033[0m\n\033[7mreversed\033[0m\na & <b> \033[48;2;1;2;3m "c" \033[0mend'`, "end")
	second := printed(t, `printf '\033[1;32mgreen\033[0m\nsecond'`, "second")
	picture := SVG("A <title>", []Frame{{first, time.Second}, {second, 3 * time.Second}})
	frames, err := Text(picture)
	if err != nil {
		t.Fatalf("%v\n%s", err, picture)
	}
	want := []string{"green\nreversed\na & <b> \"c\" end\n", "green\nsecond\n"}
	for i := range frames {
		if Squeeze(frames[i]) != Squeeze(want[i]) {
			t.Errorf("frame %d has the text %q, want %q", i, frames[i], want[i])
		}
	}
	for _, part := range []string{
		"<title>A &lt;title&gt;</title>", "#f0{opacity:0;animation:k0 4.0s", "#f1{opacity:1;", "25.00%{opacity:0}", "prefers-reduced-motion", "fill:#56d364;font-weight:bold", "fill:#010203", "textLength=\"42\"",
	} {
		if !strings.Contains(string(picture), part) {
			t.Errorf("the picture lacks %q:\n%s", part, picture)
		}
	}
	if n := strings.Count(string(picture), ">green<"); n != 1 {
		t.Errorf("a row of two frames is drawn %d times", n)
	}
}

func TestText_RefusesScriptsAndFiles(t *testing.T) {
	for name, content := range map[string]string{
		"script":      `<script>alert(1)</script>`,
		"handler":     `<g id="f0" onclick="alert(1)"/>`,
		"other file":  `<use href="https://example.com/a.svg#r"/>`,
		"image":       `<image href="a.png"/>`,
		"not closed":  `<g>`,
		"style sheet": `<style>@import "a.css"</style>`,
		"instruction": `<?xml-stylesheet href="a.css"?>`,
	} {
		if frames, err := Text([]byte(`<svg xmlns="http://www.w3.org/2000/svg">` + content + `</svg>`)); err == nil {
			t.Errorf("%s: %q", name, frames)
		}
	}
}
