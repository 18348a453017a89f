package source

// Family returns the language that represents a group of languages whose code can use each other's
// declarations: TypeScript for TSX, JavaScript and components, Kotlin for Java and Scala, C for C++
// and Objective-C, OCaml for its interfaces. Other languages return themselves.
func (l Language) Family() Language {
	switch l {
	case TSX, JavaScript, "vue", "svelte", "astro":
		return TypeScript
	case Java, Scala:
		return Kotlin
	case CPP, "objectivec":
		return C
	}
	if l == "ocaml-interface" {
		return "ocaml"
	}
	return l
}
