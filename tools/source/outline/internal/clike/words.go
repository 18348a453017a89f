package clike

// typeWord introduces a type with a body.
func typeWord(w string) bool {
	return w == "class" || w == "struct" || w == "union" || w == "enum"
}

// cppKeyword is a keyword of C++ that is a name in C.
func cppKeyword(w string) bool {
	switch w {
	case "and", "bool", "catch", "class", "co_await", "co_return", "co_yield", "consteval", "constinit", "decltype", "delete", "explicit", "export",
		"friend", "mutable", "new", "noexcept", "not", "or", "template", "throw", "typeid", "typename", "virtual":
		return true
	}
	return false
}

// notNamed is a word before round brackets that makes them something other than
// parameters.
func notNamed(w string) bool {
	switch w {
	case "__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "decltype", "noexcept", "throw",
		"explicit", "asm", "__asm__", "__asm", "_Atomic", "typeof", "__typeof__", "__typeof", "static_assert", "_Static_assert",
		"sizeof", "alignof", "_Pragma", "__pragma", "__except", "if", "while", "for", "switch", "return", "catch", "else", "do",
		"typeid", "co_return", "co_await", "co_yield", "new", "delete", "defined", "__nonnull", "and", "or", "not":
		return true
	}
	return typeWord(w)
}

// builtin is a word that is a type, or a part of one, and names nothing else.
func builtin(w string) bool {
	switch w {
	case "void", "int", "char", "short", "long", "float", "double", "bool", "_Bool", "signed", "unsigned", "auto",
		"wchar_t", "char8_t", "char16_t", "char32_t":
		return true
	}
	return qualifier(w)
}

// qualifier is a word that says more about a type or a declaration.
func qualifier(w string) bool {
	switch w {
	case "const", "volatile", "restrict", "__restrict", "__restrict__", "register", "struct", "class", "union", "enum",
		"typename", "constexpr", "consteval", "constinit", "static", "inline", "__inline", "__inline__", "extern", "virtual",
		"mutable", "thread_local", "friend", "export", "template", "_Noreturn", "typedef", "__extension__", "in", "out":
		return w != "in" && w != "out"
	}
	return false
}

// storage is a word that comes before a declaration's type and is none.
func storage(w string) bool {
	switch w {
	case "static", "inline", "__inline", "__inline__", "extern", "virtual", "explicit", "constexpr", "consteval", "friend",
		"__extension__", "export", "_Noreturn", "thread_local", "mutable", "constinit", "register":
		return true
	}
	return false
}

// trailing is a word that may follow a function's parameters.
func trailing(w string) bool {
	switch w {
	case "const", "volatile", "override", "final", "noexcept", "throw", "try", "mutable", "sealed", "abstract",
		"__attribute__", "__asm__", "asm", "__asm":
		return true
	}
	return false
}

// statement is a word of code that may stand before round brackets or a call.
func statement(w []byte) bool {
	switch string(w) {
	case "if", "for", "while", "switch", "return", "sizeof", "catch", "alignof", "_Alignof", "decltype", "noexcept", "throw", "else", "do", "case",
		"new", "delete", "and", "or", "not", "co_return", "co_await", "co_yield", "goto", "typeof", "__typeof__", "asm", "__asm__",
		"static_assert", "_Static_assert", "defined", "alignas", "typeid", "__attribute__", "volatile", "operator",
		"static_cast", "reinterpret_cast", "dynamic_cast", "const_cast":
		return true
	}
	return false
}
