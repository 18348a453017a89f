package source

// Family returns the language that represents a group of languages whose code can use each other's
// declarations: TypeScript for TSX and JavaScript, Kotlin for Java and Scala, C for C++. Other
// languages return themselves.
func (l Language) Family() Language {
	switch l {
	case TSX, JavaScript:
		return TypeScript
	case Java, Scala:
		return Kotlin
	case CPP:
		return C
	}
	return l
}
