package source

// Family is what languages have in common that can use each other's declarations:
// one of them stands for all. The family of a language without kin is itself.
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
