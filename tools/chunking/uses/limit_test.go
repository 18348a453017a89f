package uses_test

import (
	"fmt"
	"strings"
	"testing"
)

// A variable whose type is unknown because of the nesting limit is resolved at its next
// use.
func TestFind_NestingLimit(t *testing.T) {
	var script, golang strings.Builder
	script.WriteString("class A {\n  add() {} //T\n}\nconst x0 = new A();\n")
	golang.WriteString("package a\n\ntype A struct{}\n\nfunc (A) Add() {} //T\n\nvar x0 = A{}\n")
	for i := range 200 {
		fmt.Fprintf(&script, "const x%d = x%d;\n", i+1, i)
		fmt.Fprintf(&golang, "var x%d = x%d\n", i+1, i)
	}
	script.WriteString("x200.add(); //U\nx70.add(); //R\nx60.add(); //R\nx10.add(); //R\n")
	golang.WriteString("func f() {\n\tx200.Add() //U\n\tx140.Add() //R\n\tx100.Add() //R\n\tx50.Add() //R\n}\n")
	checkUses(t, "add", texts{"a.ts": script.String()})
	checkUses(t, "Add", texts{"a.go": golang.String()})
}
