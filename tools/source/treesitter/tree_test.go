package treesitter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

func TestParser_Tree_Nodes(t *testing.T) {
	p := grammarsOf(t)
	src := "package a\n\nvar x = f( // c\n)\n"
	tree, err := p.Tree(t.Context(), []byte(src), source.Go)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var write func(i int32)
	write = func(i int32) {
		n := &tree.Nodes[i]
		if n.Next == i+1 {
			fmt.Fprintf(&b, " %q", src[n.Start:n.End])
			return
		}
		b.WriteString(" (" + tree.Kinds[n.Kind])
		for kid := i + 1; kid < n.Next; kid = tree.Nodes[kid].Next {
			write(kid)
		}
		b.WriteString(")")
	}
	write(0)
	const want = ` (source_file (package_clause "package" "a") (var_declaration "var" (var_spec "x" "=" (expression_list (call_expression "f" (argument_list "(" "// c" ")"))))))`
	if got := b.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if root := &tree.Nodes[0]; root.Is(source.Faulty) || !root.Is(source.Named) {
		t.Errorf("the flags of the root are %b", root.Flags)
	}
	tree, err = p.Tree(t.Context(), []byte("package a\n\nfunc f( {\n"), source.Go)
	if err != nil || !tree.Nodes[0].Is(source.Faulty) {
		t.Errorf("%+v, %v", tree, err)
	}
}

// More nodes than one call of the module returns.
func TestParser_Tree_LongText(t *testing.T) {
	p := grammarsOf(t)
	const n = 5000
	tree, err := p.Tree(t.Context(), []byte("package a\n"+strings.Repeat("var x = 1\n", n)), source.Go)
	if err != nil {
		t.Fatal(err)
	}
	kids := 0
	for kid := int32(1); kid < tree.Nodes[0].Next; kid = tree.Nodes[kid].Next {
		if tree.Kinds[tree.Nodes[kid].Kind] == "var_declaration" {
			kids++
		}
	}
	if kids != n || int(tree.Nodes[0].Next) != len(tree.Nodes) {
		t.Errorf("%d declarations in %d nodes, want %d", kids, len(tree.Nodes), n)
	}
}

func TestParser_Tree_Trap(t *testing.T) {
	for _, src := range []string{traps, tooMany, farAway, outside} {
		p := newToy(t, treesitter.Options{Instances: 1}, treesitter.Limits{}, source.Go)
		if tree, err := p.Tree(t.Context(), []byte(src), source.Go); err == nil {
			t.Errorf("%s: %+v", src, tree)
		}
		if _, err := p.Parse(t.Context(), []byte("a"), source.Go, source.Options{}); err != nil {
			t.Errorf("after %s: %v", src, err)
		}
	}
}
