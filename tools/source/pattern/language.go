package pattern

import "github.com/dougu-go/dougu/tools/source"

// place is a text around a pattern with which it is a whole file.
type place struct{ before, after string }

// around makes places of pairs of texts.
func around(pairs ...string) []place {
	places := make([]place, 0, len(pairs)/2)
	for ; len(pairs) >= 2; pairs = pairs[2:] {
		places = append(places, place{pairs[0], pairs[1]})
	}
	return places
}

// placesOf returns the places in which a pattern of a language is parsed, the most frequent first.
func placesOf(lang source.Language) []place {
	switch lang {
	case source.Go:
		return around("", "", "package p\nfunc f() {\n", "\n}\n", "package p\nvar _ ", "\n", "package p\nvar _ = ", "\n", "package p\ntype T struct {\n", "\n}\n",
			"package p\ntype T interface {\n", "\n}\n", "package p\nfunc f() { switch {\n", "\n} }\n", "package p\nfunc f() { select {\n", "\n} }\n",
			"package p\nvar _ = T{", "}\n", "package p\nfunc f(", ") {}\n")
	case source.JavaScript:
		return scriptPlaces()
	case source.TypeScript, source.TSX:
		return append(scriptPlaces(), around("type T = ", ";\n", "interface I {\n", "\n}\n", "function f(", ") {}\n")...)
	case source.Python:
		return around("", "\n", "x: ", "\n", "f(", ")\n", "{", "}\n", "try:\n    pass\n", "\n", "", "\ndef f():\n    pass\n", "def f(", "):\n    pass\n", "[x ", "]\n", "match x:\n    ", "\n")
	case source.Java:
		return around("", "\n", "class C { void f() {\n", "\n} }\n", "class C {\n", "\n}\n", "class C { Object x = ", "; }\n", "class C { ", " x; }\n", "class C { void f() { switch (x) {\n", "\n} } }\n",
			"class C { void f() { try {} ", "\n} }\n", "", " class C {}\n", "class C { void f(", ") {} }\n", "interface I {\n", "\n}\n")
	case source.C, "objectivec":
		return cPlaces()
	case source.CPP:
		return append(cPlaces(), around("class C {\n", "\n};\n", "void f() { try {} ", "\n}\n", "void f() { for (", ") {} }\n")...)
	case source.CSharp:
		return around("", "\n", "class C { void F() {\n", "\n} }\n", "class C {\n", "\n}\n", "class C { object x = ", "; }\n", "class C { ", " x; }\n", "class C { void F() { switch (x) {\n", "\n} } }\n",
			"class C { void F() { try {} ", "\n} }\n", "class C { void F(", ") {} }\n", "interface I {\n", "\n}\n", "", " class C {}\n")
	case source.Rust:
		return around("", "\n", "fn f() {\n", "\n}\n", "fn f() { let x = ", "; }\n", "type T = ", ";\n", "impl T {\n", "\n}\n", "trait T {\n", "\n}\n", "struct S {\n", "\n}\n",
			"fn f() { match x {\n", "\n} }\n", "enum E {\n", "\n}\n", "fn f() { let ", " = x; }\n", "", "\nfn f() {}\n", "fn f(", ") {}\n")
	case source.Ruby:
		return around("", "\n", "case x\n", "\nend\n", "begin\n  x\n", "\nend\n", "x = { ", " }\n", "f(", ")\n", "def f(", ")\nend\n")
	case source.PHP:
		return around("<?php\n", "\n", "<?php\n", ";\n", "<?php class C {\n", "\n}\n", "<?php $x = [", "];\n", "<?php function f(): ", " {}\n", "<?php interface I {\n", "\n}\n", "<?php switch ($x) {\n", "\n}\n",
			"<?php $x = match (1) {\n", "\n};\n", "<?php try {} ", "\n", "<?php f(", ");\n", "<?php function f(", ") {}\n")
	case source.Kotlin:
		return around("", "\n", "fun f() {\n", "\n}\n", "class C {\n", "\n}\n", "val x = ", "\n", "val x: ", "\n", "fun f() { when (x) {\n", "\n} }\n", "fun f() { try {} ", "\n}\n", "fun f(", ") {}\n", "enum class E {\n", "\n}\n")
	case source.Swift:
		return around("", "\n", "func f() {\n", "\n}\n", "class C {\n", "\n}\n", "let x = ", "\n", "let x: ", "\n", "func f() { switch x {\n", "\n} }\n", "protocol P {\n", "\n}\n", "enum E {\n", "\n}\n", "func f() { do {} ", "\n}\n", "", "\nfunc f() {}\n")
	case source.Scala:
		return around("", "\n", "object O {\n", "\n}\n", "object O { val x = ", "\n}\n", "object O { val x: ", " = y\n}\n", "object O { def f() = x match {\n", "\n} }\n", "object O { def f() = try {} ", "\n}\n", "class C(", ")\n")
	case "dart":
		return around("", "\n", "void f() {\n", "\n}\n", "class C {\n", "\n}\n", "var x = ", ";\n", "", " x;\n", "void f() { switch (x) {\n", "\n} }\n", "void f() { try {} ", "\n}\n", "void f(", ") {}\n", "enum E {\n", "\n}\n")
	case "zig":
		return around("", "\n", "fn f() void {\n", "\n}\n", "const x = ", ";\n", "const x: ", " = y;\n", "fn f() void { switch (x) {\n", "\n} }\n", "const S = struct {\n", "\n};\n", "fn f(", ") void {}\n")
	case "lua":
		return around("", "\n", "return ", "\n", "x = {", "}\n")
	case "sql":
		return around("", "\n", "", ";\n", "SELECT ", ";\n", "SELECT * FROM t WHERE ", ";\n", "CREATE TABLE t (", ");\n")
	case "haskell":
		return around("", "\n", "x = ", "\n", "x :: ", "\n", "x = do\n  ", "\n", "x = case y of\n  ", "\n", "class C a where\n  ", "\n", "data D = ", "\n")
	case "ocaml":
		return around("", "\n", "let x = ", "\n", "type t = ", "\n", "let x : ", " = y\n", "let x = match y with ", "\n", "module M = struct\n", "\nend\n")
	case "terraform":
		return around("", "\n", "x = ", "\n", "b {\n", "\n}\n", "x = {\n", "\n}\n")
	case "css":
		return around("", "\n", "a {\n", "\n}\n", "a { b: ", "; }\n", "", " {}\n")
	case "json":
		return around("", "\n", "{", "}\n", "[", "]\n")
	case "perl":
		return around("", "\n", "", ";\n", "sub f {\n", "\n}\n", "f(", ");\n")
	case "yaml":
		return around("", "\n", "- ", "\n")
	case "toml":
		return around("", "\n", "x = ", "\n")
	}
	return around("", "\n")
}

func scriptPlaces() []place {
	return around("", "\n", "(", ")\n", "class C {\n", "\n}\n", "({", "})\n", "async function f() {\n", "\n}\n", "switch (x) {\n", "\n}\n", "try {} ", "\n", "f(", ")\n", "const ", " = x;\n", "", "\nclass C {}\n")
}

func cPlaces() []place {
	return around("void f() {\n", "\n}\n", "", "\n", "void f() { x = ", "; }\n", "", " x;\n", "struct S {\n", "\n};\n", "void f() { switch (x) {\n", "\n} }\n", "enum E {", "};\n", "int x[] = {", "};\n")
}

// formsOf returns the texts that stand for a variable while a pattern of a language is parsed: see variable.written. The first form
// stands where any expression does.
func formsOf(lang source.Language) []string {
	switch lang {
	case source.Ruby, "haskell", "ocaml", "elixir":
		return []string{"%s", "%S"}
	case source.PHP, "perl":
		return []string{"%s", "$%s", "%s;"}
	case source.Java, source.CSharp:
		return []string{"%s", "%s;", "int %s"}
	case source.C, source.CPP, "objectivec", "dart":
		return []string{"%s", "%s;"}
	case source.Kotlin, source.Swift, source.Scala:
		return []string{"%s", "%s: Int"}
	case source.Rust, "zig":
		return []string{"%s", "%s;", "%s: i32"}
	case "json":
		return []string{`"%s"`, "%s"}
	case "toml":
		return []string{`"%s"`, "%s"}
	case "css":
		return []string{"%s", ".%s", "#%s"}
	}
	return []string{"%s"}
}

// keepsUnknown reports whether a dollar sign before capitals is a variable of the language itself.
func keepsUnknown(lang source.Language) bool {
	return lang == source.PHP || lang == "perl" || lang == "shell"
}
