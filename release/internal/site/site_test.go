package site_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dougu-go/dougu/release/internal/site"
)

var opts = site.Options{Version: "1.2.3", Repository: "https://example.com/repo"}

// sources returns a repository with a README and further files.
func sources(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{
		"README.md":    {Data: []byte("# Home\n\n[two](docs/two.md)\n\n[one](docs/one.md#äö-b)\n")},
		"docs/one.md":  {Data: []byte("# One\n\n## Äö & `b`\n\n## Again\n\n## Again\n")},
		"docs/two.md":  {Data: []byte("# Two\n\n[home](../README.md)\n")},
		"docs/last.md": {Data: []byte("# Last\n")}, "docs/two-reference.md": {Data: []byte("# All of two\n")},
		"code/main.go": {Data: []byte("package main\n")}, "docs/images/p.png": {Data: []byte("picture")},
	}
	all["docs/one.md"].Data = bytes.Replace(all["docs/one.md"].Data, []byte(" & "), []byte("-"), 1)
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestBuild_Links(t *testing.T) {
	for _, tc := range []struct{ markdown, html, err string }{
		{"[x](../README.md)", `<a href="index.html">x</a>`, ""},
		{"[x](one.md#again-1)", `<a href="one.html#again-1">x</a>`, ""},
		{"[x](#here)\n\n## Here", `<a href="#here">x</a>`, ""},
		{"[x](../code/main.go#L1)", `<a href="https://example.com/repo/blob/main/code/main.go#L1">x</a>`, ""},
		{"[x](../code)", `<a href="https://example.com/repo/tree/main/code">x</a>`, ""},
		{"[x](https://example.org/?a=b)", `<a href="https://example.org/?a=b">x</a>`, ""},
		{"![x](images/p.png)", `<img src="images/p.png" alt="x" />`, ""},
		{"[x](none.md)", "", "there is no docs/none.md"},
		{"[x](one.md#none)", "", `docs/one.md has no heading "none"`},
		{"[x](one.md#again-2)", "", "no heading"},
		{"[x](#none)", "", "no heading"},
		{"[x](/one.md)", "", "neither of this repository"},
		{"[x](javascript:alert)", "", "neither of this repository"},
		{"[x](//example.org/x)", "", "neither of this repository"},
		{"[x](../../outside)", "", "there is no ../outside"},
		{"![x](https://example.org/p.png)", "", "another site"},
		{"![x](../code/main.go)", "", "no kind of picture"},
		{"<b>bold</b>", "", "HTML"},
		{"<script>\n</script>", "", "HTML"},
		{"```go\na < b\n```", `<code class="language-go">a &lt; b` + "\n</code>", ""},
		{"```\"x\n```", `class="language-&quot;x"`, ""},
		{"```mermaid\na --> b\n```", `<figure><figcaption>Diagram, as Mermaid text</figcaption><pre`, ""},
		{"| a |\n|---|\n| b |", "<table>", ""},
	} {
		files, err := site.Build(sources(map[string]string{"docs/page.md": "# Page\n\n" + tc.markdown + "\n"}), opts)
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "docs/page.md") {
				t.Errorf("%q: %v, want %q", tc.markdown, err, tc.err)
			}
		case err != nil:
			t.Errorf("%q: %v", tc.markdown, err)
		case !strings.Contains(string(files["page.html"]), tc.html):
			t.Errorf("%q: want %q in\n%s", tc.markdown, tc.html, files["page.html"])
		}
	}
}

// All dead links are reported at once.
func TestBuild_AllDeadLinks(t *testing.T) {
	_, err := site.Build(sources(map[string]string{"docs/page.md": "# Page\n\n[x](a.md) [x](b.md)\n"}), opts)
	if err == nil || !strings.Contains(err.Error(), "docs/a.md") || !strings.Contains(err.Error(), "docs/b.md") {
		t.Error(err)
	}
	if _, err := site.Build(sources(map[string]string{"docs/page.md": "no title\n"}), opts); err == nil || !strings.Contains(err.Error(), "title") {
		t.Error(err)
	}
	if _, err := site.Build(fstest.MapFS{}, opts); err == nil {
		t.Error("nothing at all is a site")
	}
}

// Pages are in the order of the README, with their references after them.
func TestBuild_Navigation(t *testing.T) {
	files, err := site.Build(sources(nil), opts)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`<li(?: class="reference")?><a href="(\w[^"]*)"`).FindAllStringSubmatch(string(files["two.html"]), -1) {
		got = append(got, m[1])
	}
	if want := []string{"index.html", "two.html", "two-reference.html", "one.html", "last.html"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, want := range []string{`<a href="two.html" aria-current="page">`, `<a rel="prev" href="index.html">`, `<a rel="next" href="two-reference.html">`, "<title>Two · Dougu</title>"} {
		if !strings.Contains(string(files["two.html"]), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// The site of this repository has no dead addresses, loads nothing from other sites, and is reproducible.
func TestBuild_Repository(t *testing.T) {
	source := os.DirFS("../../..")
	files, err := site.Build(source, opts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := site.Build(source, opts)
	if err != nil || !maps.EqualFunc(files, again, bytes.Equal) {
		t.Errorf("it is another one: %v", err)
	}
	address := regexp.MustCompile(`(href|src)="([^"]*)"`)
	for name, content := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		if bytes.Contains(content, []byte("<script")) || bytes.Contains(content, []byte("raw HTML omitted")) {
			t.Errorf("%s has scripts, or lacks something", name)
		}
		for _, m := range address.FindAllSubmatch(content, -1) {
			kind, to := string(m[1]), string(m[2])
			file, anchor, _ := strings.Cut(to, "#")
			if file == "" {
				file = name
			}
			switch {
			case kind == "href" && (strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://127.0.0.1") || to == "data:,"):
			case files[file] == nil:
				t.Errorf("%s: %s leads nowhere", name, to)
			case anchor != "" && anchor != "content" && !bytes.Contains(files[file], []byte(`id="`+unescape(anchor)+`"`)):
				t.Errorf("%s: %s has no such anchor", name, to)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "site")
	if err := files.Write(dir); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "index.html")); err != nil || !bytes.Equal(content, files["index.html"]) {
		t.Error(err)
	}
}

// unescape decodes the anchor of a link.
func unescape(anchor string) string {
	return strings.NewReplacer("%C3%A4", "ä", "&amp;", "&").Replace(anchor)
}
