package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search"
)

// messageFiles are sources with templates, and files that contain the words of the messages as well.
func messageFiles() map[string]string {
	filler := strings.Repeat("\t// The port is checked, because it can be in use already by another server.\n\tcheck(port)\n", 40)
	return map[string]string{
		"server/listen.go":      "package server\n\n// open opens it.\nfunc open(n int) error {\n" + filler + "\tif taken(n) {\n\t\treturn fmt.Errorf(\"port %d is already in use\", n)\n\t}\n" + filler + "\treturn nil\n}\n",
		"server/port.go":        "package server\n\n// Port is a port that is in use already.\ntype Port int\n\n// InUse reports whether the port is already in use.\nfunc (p Port) InUse() bool { return already(p) }\n",
		"server/listen_test.go": "package server\n\nfunc TestOpen(t *testing.T) {\n\tif err := open(5173); err.Error() != \"port 5173 is already in use\" {\n\t\tt.Fatal(err)\n\t}\n}\n",
		"docs/ports.md":         "# Port is already in use\n\nThe message \"Port 5173 is already in use\" says that the port is already in use. Port 5173 is the default.\n",
		"flags/flags.go":        "package flags\n\nfunc unknown(name, command string) error {\n\treturn errors.New(\"unknown flag \" + strconv.Quote(name) + \" of the command \" + command)\n}\n",
		"locales/en.json":       "{\n  \"quota\": \"You have used {{used}} of {{total}} requests today\"\n}\n",
		"locales/de.yaml":       "quota: Sie haben heute %{used} von %{total} Anfragen verbraucht\n",
	}
}

func TestSearchDocuments_Message(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, messageFiles()))
	for _, test := range []struct{ query, path, line string }{
		{"Port 5173 is already in use", "server/listen.go", `fmt.Errorf("port %d is already in use", n)`},
		{"2026-01-02T10:31:07Z ERROR starting: port 80 is already in use", "server/listen.go", `fmt.Errorf("port %d is already in use", n)`},
		{`"port 8080 is already in use"`, "server/listen.go", `fmt.Errorf("port %d is already in use", n)`},
		{`error: unknown flag "--prot" of the command serve`, "flags/flags.go", "unknown flag"},
		{"You have used 17 of 20 requests today", "locales/en.json", "{{used}} of {{total}}"},
		{"Sie haben heute 17 von 20 Anfragen verbraucht", "locales/de.yaml", "%{used} von %{total}"},
	} {
		t.Run(test.query, func(t *testing.T) {
			r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: test.query})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Results) == 0 {
				t.Fatal("there are no results")
			}
			d := r.Results[0]
			if d.Path != test.path || !strings.Contains(d.Content, test.line) || d.Why != "message template" {
				t.Errorf("the first result is %s (%s):\n%s", d.Path, d.Why, d.Content)
			}
		})
	}
}

// A question about the same words is answered by its words, not by templates.
func TestSearchDocuments_Message_Question(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, messageFiles()))
	for _, query := range []string{"where is the port checked that is already in use", "port in use"} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Results {
			if d.Why == "message template" {
				t.Errorf("%q has the template %s", query, d.Path)
			}
		}
	}
}

// Conditions of the query hold for templates, too, and the scores decrease.
func TestSearchDocuments_Message_Filter(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, messageFiles()))
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Port 5173 is already in use", Filters: &search.DocumentFilters{Path: "docs/"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Results {
		if d.Path != "docs/ports.md" {
			t.Errorf("%s is a result", d.Path)
		}
	}
	if r, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Port 5173 is already in use"}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	last := 1.0
	for _, d := range r.Results {
		key := fmt.Sprint(d.Path, d.StartLine, d.EndLine, d.Name)
		if seen[key] || d.Score > last {
			t.Errorf("%s is a duplicate, or its score %v is higher than the one before", key, d.Score)
		}
		seen[key], last = true, d.Score
	}
}

// A file with a great many literals is searched in bounded time, and its template is found.
func TestSearchDocuments_Message_ManyLiterals(t *testing.T) {
	files := messageFiles()
	files["data/table.go"] = "package data\n\nvar table = []string{\n" + strings.Repeat("\t\"port %d in use\", \"port is already\", \"use\",\n", 10_000) + "}\n"
	p := newProject(t, nil, search.Options{}, newShelf(t, files))
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Port 5173 is already in use"})
	if err != nil || len(r.Results) == 0 || r.Results[0].Path != "server/listen.go" {
		t.Errorf("found %v: %v", places(r), err)
	}
}
