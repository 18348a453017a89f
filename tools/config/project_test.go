package config_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/config"
)

// tool is the configuration of a program in these tests.
type tool struct {
	Program string
	Size    int
	Names   []string
	Hidden  []string
	Title   string
	Locked  bool
}

func toolTable() (*config.Table[tool], *config.Key[tool], *config.ListKey[tool]) {
	program := config.NewKey("program", func(c *tool) *string { return &c.Program }, "", config.Text(0, 99), "file that is run")
	hidden := config.NewList("hidden", func(c *tool) *[]string { return &c.Hidden }, nil, config.ListOf(config.Text(1, 9), 5), "hidden files")
	hidden.Narrowing(config.Including(func(c *tool) *[]string { return &c.Hidden }))
	return config.NewTable(config.Options{Prefix: "TOOL_", Mask: func(_, value string) string { return strings.ReplaceAll(value, "hunter2", "[redacted]") }},
		program,
		config.NewKey("size", func(c *tool) *int { return &c.Size }, 10, config.Whole(1, 100), "limit").Narrowing(config.AtMost(func(c *tool) *int { return &c.Size })),
		config.NewList("names", func(c *tool) *[]string { return &c.Names }, []string{"*"}, config.ListOf(config.Text(1, 9), 5), "names").
			Narrowing(config.PartOf(func(c *tool) *[]string { return &c.Names })),
		hidden.Key,
		config.NewKey("title", func(c *tool) *string { return &c.Title }, "t", config.Text(1, 99), "title").ByProject(),
		config.NewSwitch("locked", func(c *tool) *bool { return &c.Locked }, false, "locked").Narrowing(config.Only(func(c *tool) *bool { return &c.Locked }, true)),
	), program, hidden
}

// approvals are keys with their approved values.
type approvals map[string]string

func (a approvals) Approved(file, key, value string) bool {
	return file == "project.json" && a[key] == value
}

var unset = tool{Size: 10, Names: []string{"*"}, Hidden: []string{}, Title: "t"}

func TestLoad_ProjectOnlyNarrows(t *testing.T) {
	for name, test := range map[string]struct {
		user, project string
		env           []string
		approved      approvals
		want          func(*tool)
		pending       string // keys
	}{
		"a program":                     {project: `{"program":"./evil"}`, pending: "program"},
		"a program that is approved":    {project: `{"program":"./evil"}`, approved: approvals{"program": `"./evil"`}, want: func(c *tool) { c.Program = "./evil" }},
		"another program than approved": {project: `{"program":"./evil"}`, approved: approvals{"program": `"./good"`}, pending: "program"},
		"the user's program again":      {user: `{"program":"p"}`, project: `{"program":"p"}`, want: func(c *tool) { c.Program = "p" }},
		"the program of a variable":     {project: `{"program":"./evil"}`, env: []string{"TOOL_PROGRAM=mine"}, want: func(c *tool) { c.Program = "mine" }},
		"free text":                     {project: `{"title":"x"}`, want: func(c *tool) { c.Title = "x" }},
		"a smaller limit":               {project: `{"size":9}`, want: func(c *tool) { c.Size = 9 }},
		"a larger limit":                {project: `{"size":11}`, pending: "size"},
		"a limit above the user's":      {user: `{"size":5}`, project: `{"size":6}`, want: func(c *tool) { c.Size = 5 }, pending: "size"},
		"a limit that is none":          {user: `{"size":5}`, project: `{"size":"all"}`, want: func(c *tool) { c.Size = 5 }},
		"fewer names":                   {project: `{"names":["a"]}`, want: func(c *tool) { c.Names = []string{"a"} }},
		"no names":                      {project: `{"names":[]}`, want: func(c *tool) { c.Names = []string{} }},
		"names beyond the user's":       {user: `{"names":["a"]}`, project: `{"names":["a","b"]}`, want: func(c *tool) { c.Names = []string{"a"} }, pending: "names"},
		"more hidden files":             {user: `{"hidden":["a"]}`, project: `{"hidden":["a","b"]}`, want: func(c *tool) { c.Hidden = []string{"a", "b"} }},
		"fewer hidden files":            {user: `{"hidden":["a"]}`, project: `{"hidden":[]}`, want: func(c *tool) { c.Hidden = []string{"a"} }, pending: "hidden"},
		"a lock":                        {project: `{"locked":true}`, want: func(c *tool) { c.Locked = true }},
		"an opened lock":                {user: `{"locked":true}`, project: `{"locked":false}`, want: func(c *tool) { c.Locked = true }, pending: "locked"},
	} {
		t.Run(name, func(t *testing.T) {
			table, _, _ := toolTable()
			user := table.File("user.json", []byte(cmp.Or(test.user, "{}")), nil, config.JSON)
			project := table.File("project.json", []byte(test.project), nil, config.JSON).OfProject(test.approved)
			l := table.Load(user, project, table.Environment(test.env))
			want := unset
			if test.want != nil {
				test.want(&want)
			}
			if fmt.Sprintf("%+v", l.Config) != fmt.Sprintf("%+v", want) {
				t.Errorf("got %+v, want %+v", l.Config, want)
			}
			var pending []string
			for _, r := range config.Pending(l.Requests()) {
				pending = append(pending, r.Key)
			}
			if got := strings.Join(pending, " "); got != test.pending {
				t.Errorf("pending are %q, want %q", got, test.pending)
			}
		})
	}
}

func TestLoad_VariablesOfAProjectWaitForApproval(t *testing.T) {
	table, _, _ := toolTable()
	decode := func(data []byte) (config.Node, error) {
		n, err := config.JSON(data)
		n.Members[0].Value.Written, n.Members[0].Value.Text = n.Members[0].Value.Text, "secret"
		return n, err
	}
	for name, a := range map[string]approvals{"without approval": nil, "with approval": {"title": `"${KEY}"`}} {
		t.Run(name, func(t *testing.T) {
			l := table.Load(table.File("project.json", []byte(`{"title":"${KEY}"}`), nil, decode).OfProject(a))
			want := "t"
			if a != nil {
				want = "secret"
			}
			if l.Config.Title != want {
				t.Errorf("the title is %q, want %q", l.Config.Title, want)
			}
			r := l.Requests()
			if len(r) != 1 || r[0].Value != `"${KEY}"` || strings.Contains(r[0].String(), "secret") {
				t.Errorf("the requests are %v", r)
			}
		})
	}
}

func TestLoaded_CheckRestoresTheUsersValue(t *testing.T) {
	table, program, hidden := toolTable()
	user := table.File("user.json", []byte(`{"program":"mine","hidden":["a"]}`), nil, config.JSON)
	project := table.File("project.json", []byte(`{"program":"theirs","hidden":["a","bad"]}`), nil, config.JSON).OfProject(approvals{"program": `"theirs"`})
	l := table.Load(user, project)
	if l.Config.Program != "theirs" {
		t.Fatalf("the approved program is %q", l.Config.Program)
	}
	l.Check(program, func(c *tool, _ int) error {
		if c.Program == "theirs" {
			return errors.New("another one")
		}
		return nil
	})
	l.Keep(hidden, func(element string, _ int) error {
		if element == "bad" {
			return errors.New("a good one")
		}
		return nil
	})
	if l.Config.Program != "mine" || !slices.Equal(l.Config.Hidden, []string{"a"}) || !l.Refused() {
		t.Errorf("got %+v, refused %v", l.Config, l.Refused())
	}
}

// A file with a part that has no meaning does not take the place of settings that are in force: the part may have been a limit.
func TestLoaded_RefusesFilesThatAreMisread(t *testing.T) {
	table, _, _ := toolTable()
	for text, want := range map[string]bool{`{"hidden":["a"]}`: false, `{}`: false, `{"hiden":["a"]}`: true, `{"Hidden":["a"]}`: true} {
		file := table.File("file.json", []byte(text), nil, config.JSON)
		if got := table.Load(file.OfProject(nil)).Refused(); got != want {
			t.Errorf("the project's file %s is refused: %v", text, got)
		}
		if table.Load(file).Refused() {
			t.Errorf("the user's file %s is refused", text)
		}
	}
	for _, text := range []string{"null", "[]", `"x"`, "1"} {
		if !table.File("file.json", []byte(text), nil, config.JSON).Unusable() {
			t.Errorf("the file %s is used", text)
		}
	}
}

func TestRequest_HidesSecrets(t *testing.T) {
	table, _, _ := toolTable()
	l := table.Load(table.File("project.json", []byte(`{"program":"hunter2"}`), nil, config.JSON).OfProject(nil))
	r := l.Requests()[0]
	if text := r.String() + r.Shown; strings.Contains(text, "hunter2") || !strings.Contains(text, "waits for your approval") {
		t.Errorf("the request says %q", text)
	}
}

func TestReadFile_RefusesDevicesAndDirectories(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Skip("there are no links: ", err)
	}
	for _, path := range []string{link, dir} {
		if data, err := config.ReadFile(path); err == nil {
			t.Errorf("%s was read: %d bytes", path, len(data))
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := config.ReadFile(file); string(data) != "x" {
		t.Errorf("a file has %q, %v", data, err)
	}
}
