package unity_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/unity"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

// Where entries of the console lead to.
func TestParseEntry_Positions(t *testing.T) {
	w := newWorld(t)
	abs := filepath.ToSlash(w.fake.Project)
	for name, tt := range map[string]struct {
		entry unitytest.Entry
		path  string
		line  int
		code  string
	}{
		"the compiler":               {unitytest.Entry{Message: "Assets/A.cs(3,14): error CS0103: x"}, "Game/Assets/A.cs", 3, "CS0103"},
		"with backslashes":           {unitytest.Entry{Message: `Assets\Sub\A.cs(3,14): warning CS0103: x`}, "Game/Assets/Sub/A.cs", 3, "CS0103"},
		"an own package":             {unitytest.Entry{Message: "Packages/own/A.cs(3,14): error CS1: x"}, "Game/Packages/own/A.cs", 3, "CS1"},
		"a copy of a package":        {unitytest.Entry{Message: "Library/PackageCache/p/A.cs(3,14): error CS1: x"}, "", 0, "CS1"},
		"outside":                    {unitytest.Entry{Message: "../../etc/A.cs(3,14): error CS1: x"}, "", 0, "CS1"},
		"absolute, outside":          {unitytest.Entry{Message: "/etc/A.cs(3,14): error CS1: x"}, "", 0, "CS1"},
		"with NUL":                   {unitytest.Entry{Message: "Assets/A\x00.cs(3,14): error CS1: x"}, "", 0, "CS1"},
		"no script":                  {unitytest.Entry{Message: "Assets/A.txt(3,14): error CS1: x"}, "", 0, "CS1"},
		"a frame of Unity":           {unitytest.Entry{Message: "boo", Stack: "UnityEngine.Debug:Log (object)\nA:Start () (at Assets/A.cs:12)\nB:C () (at Assets/B.cs:1)"}, "Game/Assets/A.cs", 12, ""},
		"a frame of .NET":            {unitytest.Entry{Message: "boo", Stack: "  at A.B () [0x00001] in " + abs + "/Assets/A.cs:12 "}, "Game/Assets/A.cs", 12, ""},
		"a frame of .NET on Windows": {unitytest.Entry{Message: "boo", Stack: `  at A.B() in Assets\A.cs:line 12`}, "Game/Assets/A.cs", 12, ""},
		"an exception":               {unitytest.Entry{Message: "MissingReferenceException: gone\nA.B () (at Assets/A.cs:2)"}, "Game/Assets/A.cs", 2, "MissingReferenceException"},
		"the file of the entry":      {unitytest.Entry{Message: "boo", File: "Assets/A.cs", Line: 4}, "Game/Assets/A.cs", 4, ""},
		"no line":                    {unitytest.Entry{Message: "boo", File: "Assets/A.cs"}, "", 0, ""},
		"a huge line":                {unitytest.Entry{Message: "boo (at Assets/A.cs:99999999999999999999)"}, "", 0, ""},
		"nothing":                    {unitytest.Entry{Message: "boo"}, "", 0, ""},
	} {
		data, err := json.Marshal([]unitytest.Entry{tt.entry})
		if err != nil {
			t.Fatal(err)
		}
		entries, next, err := unity.EntriesOf(data, w.fake.Project)
		if err != nil || next != 0 {
			t.Fatal(next, err)
		}
		if got := w.tools.Listed(entries)[0]; got.Path != tt.path || got.Line != tt.line || got.Code != tt.code {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Messages of the C# compiler and exceptions of a program are parsed.
func TestParseEntry_CompilerMessages(t *testing.T) {
	w := newWorld(t)
	w.write(t, "Assets/A.cs", "class A {\n\tstatic void Main() {\n\t\tint unused = 1;\n\t\tfoo();\n\t}\n}\n")
	said, err := mono(t, w.fake.Project, "mcs", "Assets/A.cs")
	if err == nil {
		t.Fatalf("it compiles: %s", said)
	}
	var entries []unitytest.Entry
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "Assets/A.cs(") {
			entries = append(entries, unitytest.Entry{Message: strings.TrimSpace(line)})
		}
	}
	data, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	parsed, _, err := unity.EntriesOf(data, w.fake.Project)
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, e := range w.tools.Listed(parsed) {
		found += fmt.Sprintf("%s:%d:%d %s %s\n", e.Path, e.Line, e.Column, e.Type, e.Code)
	}
	if !strings.Contains(found, "Game/Assets/A.cs:4:3 error CS0103\n") {
		t.Errorf("found %sin\n%s", found, said)
	}
}

// Whatever a path is, it is the same in C#.
func TestQuoting(t *testing.T) {
	dir := t.TempDir()
	paths := []string{"/a b/c.cs", `C:\a\"b".cs`, "日𝄞\u00e9é", "\n\t\x00{0}%", `";System.Console.Write("x");//`, `\u0041`, "'"}
	program := "using System;\nclass P {\n\tstatic void Main() {\n\t\tforeach (var s in new string[] {"
	for _, path := range paths {
		program += unity.QuoteCSharp(path) + ", "
	}
	program += "})\n\t\t\tConsole.WriteLine(BitConverter.ToString(System.Text.Encoding.UTF8.GetBytes(s)).Replace(\"-\", \"\").ToLower());\n\t}\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "P.cs"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := mono(t, dir, "mcs", "P.cs"); err != nil {
		t.Fatalf("%v: %s\n%s", err, said, program)
	}
	said, err := mono(t, dir, "mono", "P.exe")
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var want string
	for _, path := range paths {
		want += hex.EncodeToString([]byte(path)) + "\n"
	}
	if said != want {
		t.Errorf("C# has\n%swant\n%s", said, want)
	}
}

// mono runs a program of Mono in a directory.
func mono(t *testing.T, dir, program string, args ...string) (said string, err error) {
	t.Helper()
	_, err = exec.LookPath(program)
	testrequire.Deep(t, err == nil, program, "install mono-mcs and mono-runtime")
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestNameOf(t *testing.T) {
	for full, want := range map[string][2]string{
		"Game.Tests.MathTests.Adds":               {"MathTests", "Adds"},
		`Game.MathTests.Adds(1,"a.b(c)",null)`:    {"MathTests", "Adds"},
		"Game.Outer+Inner.Adds":                   {"Inner", "Adds"},
		"Game.Fixture(2).Adds":                    {"Fixture", "Adds"},
		"Game.Fixture<System.Int32>.Adds<A.B>(3)": {"Fixture", "Adds"},
		"Adds":          {},
		"":              {},
		"Game..(":       {},
		"a.b c.d":       {},
		"A.B.C[0].D*":   {},
		"A.((((((((((B": {},
	} {
		class, method, ok := unity.NameOf(full)
		if ok != (want[0] != "") || ok && (class != want[0] || method != want[1]) {
			t.Errorf("%s: %q, %q, %v", full, class, method, ok)
		}
	}
}

func FuzzConsole(f *testing.F) {
	for _, seed := range []string{`[]`, `{"items":[{"type":"Error","message":"Assets/A.cs(1,2): error CS1: x"}],"nextCursor":"500"}`, `{"nextCursor":"x"}`, `7`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		project := filepath.Join(string(filepath.Separator), "p")
		entries, _, err := unity.EntriesOf(data, project)
		if err == nil && len(entries) > 5000 {
			t.Errorf("%d entries", len(entries))
		}
	})
}
