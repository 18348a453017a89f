package headless_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

const pyProject = `
-- pyproject.toml --
[project]
name = "shop"
-- cart.py --
class Cart:
    def __init__(self) -> None:
        self.goods: list[str] = []

    def add(self, name: str) -> None:  # 😀
        self.goods.append(name)
-- main.py --
from cart import Cart

c = Cart()
"😀"; c.add(1)
-- ugly.py --
def   ugly( ):
    return   'one'
`

func pyright(t *testing.T) *project {
	installed(t, "pyright-langserver", "npm install -g pyright")
	return open(t, pyProject, headless.Options{})
}

func TestDiagnose_Pyright(t *testing.T) {
	p := pyright(t)
	start := time.Now()
	got := p.diagnose("main.py")
	t.Logf("the first time: %v", time.Since(start))
	const first = `main.py:4:13-14: error: Argument of type "Literal[1]" cannot be assigned to parameter "name" of type "str" in function "add" [reportArgumentType]`
	if len(got) == 0 || got[len(got)-1] != first {
		t.Errorf("at first: %s", strings.Join(got, "\n"))
	}
	p.write("cart.py", strings.Replace(p.doc("cart.py").Text, "name: str", "name: int", 1))
	p.FilesChanged([]string{p.path("cart.py")})
	start = time.Now()
	got = p.diagnose()
	t.Logf("after a change: %v", time.Since(start))
	if all := strings.Join(got, "\n"); strings.Contains(all, first) || !strings.Contains(all, `cart.py:6:27-31: error: Argument of type "int"`) {
		t.Errorf("the project after a change:\n%s", all)
	}
}

func TestNavigator_Pyright(t *testing.T) {
	p := pyright(t)
	found, err := p.Definition(long(t), p.doc("main.py"), p.at("main.py", "c.|add("))
	if err != nil || len(found) != 1 || p.rel(found[0].Path) != "cart.py" || found[0].Range.Start != p.at("cart.py", "def |add(") {
		t.Errorf("definition: %+v, %v", found, err)
	}
	edits, err := p.Rename(long(t), p.doc("cart.py"), p.at("cart.py", "def |add("), "put")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the rename changes", p.apply(edits), []string{"cart.py", "main.py"})
	if text := p.doc("main.py").Text; !strings.Contains(text, `"😀"; c.put(1)`) {
		t.Errorf("after the rename:\n%s", text)
	}
}

func TestFormat_Black(t *testing.T) {
	installed(t, "black", "pip install black")
	p := pyright(t)
	edits, err := p.Format(long(t), p.doc("ugly.py"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.apply([]adapter.FileEdit{{Path: p.path("ugly.py"), Edits: edits}})
	if got := p.doc("ugly.py").Text; got != "def ugly():\n    return \"one\"\n" {
		t.Errorf("laid out: %s", got)
	}
	broken := p.doc("ugly.py")
	broken.Text = "def ugly(:\n"
	if _, err := p.Format(long(t), broken, nil); code(err) != "FORMATTER_FAILED" {
		t.Errorf("what is no Python: %v", err)
	}
}

func TestDiagnose_ProjectPythonNotRun(t *testing.T) {
	p := pyright(t)
	evil := "open(" + strconv.Quote(p.path("was-run")) + ", 'w').close()\n"
	for _, name := range []string{"json.py", "os.py", "site.py", "sitecustomize.py", "usercustomize.py"} {
		p.write(name, evil)
	}
	if got := p.diagnose("main.py"); len(got) == 0 {
		t.Error("nothing was found out")
	}
	if _, err := os.Stat(p.path("was-run")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("code of the project was run: %v", err)
	}
}

// The first request after the start finds the references of all files, although Pyright has not listed them at the start.
func TestReferences_PyrightFirstRequest(t *testing.T) {
	for _, program := range []string{"pyright-langserver", "basedpyright-langserver"} {
		t.Run(program, func(t *testing.T) {
			installed(t, program, "npm install -g pyright basedpyright")
			var archive strings.Builder
			archive.WriteString(pyProject)
			for n := range 300 {
				archive.WriteString("\n-- pkg" + strconv.Itoa(n) + "/other.py --\nx = 1\n")
			}
			servers := slices.DeleteFunc(headless.DefaultServers(), func(s headless.Server) bool { return s.Command != program })
			p := open(t, archive.String(), headless.Options{Servers: servers})
			found, err := p.References(long(t), p.doc("cart.py"), p.at("cart.py", "def |add"))
			if err != nil || len(found) != 2 {
				t.Errorf("the references are %+v, %v", found, err)
			}
		})
	}
}
