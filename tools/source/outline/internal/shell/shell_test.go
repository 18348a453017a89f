package shell_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/shell"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// parse returns the chunks of a script, one a line: first and last line, kind and name; and the doubt of the scanner.
func parse(t *testing.T, src string) (chunks string, doubt *source.UnsureError) {
	t.Helper()
	f, err := shell.Parse(t.Context(), []byte(src), "shell", source.Options{Calls: true})
	if err != nil && !errors.As(err, &doubt) {
		t.Fatal(err)
	}
	if err := parsertest.Invariants([]byte(src), f); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, c := range f.Chunks {
		fmt.Fprintf(&b, "%d-%d %s %s\n", c.Line, c.EndLine, c.Kind, c.Name)
	}
	return b.String(), doubt
}

func TestParse_Functions(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"brackets":           {"f() {\n  a\n}\ng () { b; }\n", "1-3 function f\n4-4 function g\n"},
		"keyword":            {"function f {\n a\n}\nfunction g-h() (\n a\n)\n", "1-3 function f\n4-6 function g-h\n"},
		"body on next line":  {"f()\n# why\n{\n a\n}\n", "1-5 function f\n"},
		"other bodies":       {"a() if x; then\n y\nfi\nb() for i do\n x\ndone\nc() [[ -n $1 ]]\nd() (( x > (1) ))\ne() case $1 in\n a) ;;\nesac\n", "1-3 function a\n4-6 function b\n7-7 function c\n8-8 function d\n9-11 function e\n"},
		"while":              {"a() while read x; do\n y\ndone\n", "1-3 function a\n"},
		"for without in":     {"f() {\n for i do\n  echo $i\n done\n for j\n do :; done\n for ((i = 0; i < 9; i++)); do :; done\n}\ng() { :; }\n", "1-8 function f\n9-9 function g\n"},
		"words as arguments": {"f() {\n echo if for case esac fi done }\n}\ng() { echo { }; }\n", "1-3 function f\n4-4 function g\n"},
		"case":               {"f() {\n case \"$1\" in\n  (a|b) x ;;\n  'c)') y ;&\n  (esac) ;;\n  *) if a; then b; fi\n esac\n}\n", "1-8 function f\n"},
		"nested case":        {"f() {\n x=$(case $1 in a) b ;; *) c ;; esac)\n}\ng() { :; }\n", "1-3 function f\n4-4 function g\n"},
		"tests":              {"f() {\n [ \"$a\" = '(' ] && ((b)) || [[ $c =~ ^(x|y)[[:space:]]$ ]]\n}\n", "1-3 function f\n"},
		"arithmetic":         {"f() {\n a=$((1 << 2)); ((b <<= 3)); c=$(( (1) ))\n ( (x); y )\n}\n", "1-4 function f\n"},
		"quotes":             {"f() {\n a=\"}\" b='}' c=$'\\'}' d=\"$(echo \"}\")\" e=`echo }` h=\\}\n}\n", "1-3 function f\n"},
		"expansions":         {"f() {\n a=${b#\\}} c=${d%%\"}\"} e=${#} g=\"${h:-'}\" i=${j//\\'/x} k=$[1]\n}\n", "1-3 function f\n"},
		"here-documents":     {"f() {\n cat <<EOF <<-'B C'\n}\nEOF\n\t}\n\tB C\n a <<< }\n}\n", "1-8 function f\n"},
		"redirections":       {"f() {\n a\n} >\"$1\" 2>&1 \\\n  <<EOF\n}\nEOF\ng() { :; } &>/dev/null\n", "1-6 function f\n7-7 function g\n"},
		"process":            {"f() {\n a < <(b) > >(c) 2>&- &>d\n}\n", "1-3 function f\n"},
		"lists":              {"a=(1 # )\n '}' $(b))\nf() {\n local -a c=(x) d\n}\n", "1-2 variable a\n3-5 function f\n"},
		"patterns":           {"f() {\n shopt -s extglob; rm !(a|b) x@(c|d)\n}\n", "1-3 function f\n"},
		"comments":           {"#!/bin/sh\n# f() {\nf() { # }\n a#b\n}\n", "3-5 function f\n"},
		"functions within":   {"if x; then\n f() { a; }\nelse\n f() {\n  g() { b; }\n }\nfi\n", "2-2 function f\n4-6 function f\n5-5 function g\n"},
		"names":              {"_a.b:c-d() { :; }\n", "1-1 function _a.b:c-d\n"},
		"carriage returns":   {"f() {\r\n a <<E\r\n}\r\nE\r\n}\r\n", "1-5 function f\n"},
		"empty":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, doubt := parse(t, c.src)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if doubt != nil {
				t.Error(doubt)
			}
		})
	}
}

func TestParse_Variables(t *testing.T) {
	got, doubt := parse(t, "A=1; B+=2\nreadonly C=3\nexport -f D\nexport E=4 # x\nF=5 make\nif x; then G=6; fi\nf() { H=7; }\nI[0]=8\nJ=9 \\\n K=10\n")
	want := "1-1 variable A\n2-2 constant C\n4-4 variable E\n7-7 function f\n9-9 variable J\n10-10 variable K\n"
	if diff := cmp.Diff(want, got); diff != "" || doubt != nil {
		t.Error(diff, doubt)
	}
}

func TestParse_Documentation_Calls_Imports(t *testing.T) {
	src := "#!/bin/sh\n# Loads it.\n# Twice.\nload() {\n  . ./lib.sh\n  source \"b.sh\"\n  . \"$c\"\n  git log | sort\n}\n\nload\n"
	f, err := shell.Parse(t.Context(), []byte(src), "shell", source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Chunks[0]; src[c.Doc:c.DocEnd] != "# Loads it.\n# Twice." || c.Signature != "load()" {
		t.Errorf("%+v", c)
	}
	if len(f.Imports) != 2 || f.Imports[0].Path != "./lib.sh" || f.Imports[1].Path != "b.sh" {
		t.Errorf("%+v", f.Imports)
	}
	var calls []string
	for _, c := range f.Calls {
		calls = append(calls, fmt.Sprintf("%s %d %d", c.Name, c.Line, c.Chunk))
	}
	if diff := cmp.Diff([]string{". 5 0", "source 6 0", ". 7 0", "git 8 0", "sort 8 0", "load 11 -1"}, calls); diff != "" {
		t.Error(diff)
	}
}

// TestParse_Damaged_OthersStay checks that a missing bracket, quote or word costs no function at the margin but its own.
func TestParse_Damaged_OthersStay(t *testing.T) {
	for name, damaged := range map[string]string{
		"double quote": "b() {\n echo \"x\n}\n", "single quote": "b() {\n echo 'x\n}\n", "back-quote": "b() {\n echo `x\n}\n",
		"fi": "b() {\n if x; then y\n}\n", "done": "b() {\n for i in x; do y\n}\n", "esac": "b() {\n case x in\n}\n", "bracket": "b() {\n x=$(y\n}\n",
		"closer": "b() {\n y; fi; )\n}\n", "list": "b() {\n x=(y\n}\n", "test": "b() {\n [[ x\n}\n", "here-document": "b() {\n cat <<E\n}\n",
		"arithmetic": "b() {\n x=$((y\n}\n", "expansion": "b() {\n x=${y\n}\n", "argument": "b() {\n echo (y\n}\n", "case": "b() {\n case x y\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, doubt := parse(t, "a() {\n :\n}\n"+damaged+"c() {\n :\n}\n")
			last := 3 + strings.Count(damaged, "\n")
			want := fmt.Sprintf("1-3 function a\n4-%d function b\n%d-%d function c\n", last, last+1, last+3)
			if got != want || doubt == nil || doubt.Line < 4 {
				t.Errorf("%s%v", got, doubt)
			}
		})
	}
	for _, src := range []string{"f()\n", "function\n", "f() echo x\n", "f() {\n", "\"", "$'", "$(", "`", "<<E\n", "a=("} {
		if _, doubt := parse(t, src); doubt == nil && src != "<<E\n" {
			t.Errorf("%q is sure", src)
		}
	}
}

func TestParse_Nesting_Limited(t *testing.T) {
	for _, open := range []string{"$(", "${a:-", "{ ", "( ", "\"$(", "@(", "x=(", "if ", "case a in a) ", "f() { ", "$[", "<("} {
		for _, n := range []int{190, 20000} {
			if _, doubt := parse(t, "a() { :; }\n"+strings.Repeat(open, n)); doubt == nil {
				t.Errorf("%d of %q: no doubt", n, open)
			}
		}
	}
}

func TestParse_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shell.Parse(ctx, []byte(strings.Repeat("echo a\n", 1<<19)), "shell", source.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("f() { case $1 in a) b <<E ;; esac; }\n}\nE\n")
	f.Add("a=($(b) \"${c:-'}\") d() (( e ))")
	f.Fuzz(func(t *testing.T, src string) {
		file, err := shell.Parse(context.Background(), []byte(src), "shell", source.Options{Calls: true})
		var doubt *source.UnsureError
		if err != nil && !errors.As(err, &doubt) {
			t.Fatal(err)
		}
		if err := parsertest.Invariants([]byte(src), file); err != nil {
			t.Error(err)
		}
	})
}
