package source

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"
)

// Language is a programming language, by the name that the parameters of tools use. Parsers may
// support languages beyond the constants of this package.
type Language string

// The languages that this package knows without a Definition of a parser. TSX is TypeScript with JSX. JavaScript may always contain
// JSX.
const (
	Swift      Language = "swift"
	Kotlin     Language = "kotlin"
	Go         Language = "go"
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	JavaScript Language = "javascript"
	Python     Language = "python"
	Java       Language = "java"
	Rust       Language = "rust"
	C          Language = "c"
	CPP        Language = "cpp"
	CSharp     Language = "csharp"
	Ruby       Language = "ruby"
	PHP        Language = "php"
	Scala      Language = "scala"
)

// Languages returns the languages that this package knows. Parsers.Languages also has those that
// parsers add, like Lua. The caller may change the slice.
func Languages() []Language {
	return []Language{Swift, Kotlin, Go, TypeScript, TSX, JavaScript, Python, Java, Rust, C, CPP, CSharp, Ruby, PHP, Scala}
}

// LanguageNames joins the names of languages for a message: "go, java".
func LanguageNames(languages []Language) string {
	names := make([]string, len(languages))
	for i, lang := range languages {
		names[i] = string(lang)
	}
	return strings.Join(names, ", ")
}

// LanguageNamed returns the language with a name or a common alias ("c++", "ts", "golang"). It
// ignores case.
func LanguageNamed(name string) (Language, bool) {
	name = strings.ToLower(name)
	if slices.Contains(Languages(), Language(name)) {
		return Language(name), true
	}
	switch name {
	case "golang":
		return Go, true
	case "ts":
		return TypeScript, true
	case "js", "jsx", "node":
		return JavaScript, true
	case "py", "python3":
		return Python, true
	case "rs":
		return Rust, true
	case "c++", "cc", "cxx":
		return CPP, true
	case "c#", "cs":
		return CSharp, true
	case "rb":
		return Ruby, true
	case "kt":
		return Kotlin, true
	}
	return "", false
}

// LanguageOf detects the language of a file by its name, and by its first bytes where the name is
// ambiguous (a .h file, a script without an extension). head may be nil: a .h file is then C, and a
// script without an extension has no language. ok is false if the language is unknown.
func LanguageOf(name string, head []byte) (Language, bool) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	switch ext := strings.ToLower(path.Ext(base)); ext {
	case ".swift":
		return Swift, true
	case ".kt", ".kts":
		return Kotlin, true
	case ".go":
		return Go, true
	case ".ts", ".mts", ".cts":
		return TypeScript, true
	case ".tsx":
		return TSX, true
	case ".js", ".mjs", ".cjs", ".jsx":
		return JavaScript, true
	case ".py", ".pyi", ".pyw":
		return Python, true
	case ".java":
		return Java, true
	case ".rs":
		return Rust, true
	case ".c":
		return C, true
	case ".h":
		if looksLikeCPP(head) {
			return CPP, true
		}
		return C, true
	case ".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".txx":
		return CPP, true
	case ".cs", ".csx":
		return CSharp, true
	case ".rb", ".rake", ".gemspec", ".ru":
		return Ruby, true
	case ".php", ".phtml":
		return PHP, true
	case ".scala", ".sc", ".sbt":
		return Scala, true
	case "":
		return scriptLanguage(base, head)
	}
	return "", false
}

// scriptLanguage returns the language of a file without an extension: by a known name such as
// Rakefile, or by the interpreter in its "#!" line.
func scriptLanguage(base string, head []byte) (Language, bool) {
	switch base {
	case "Rakefile", "Gemfile", "Podfile", "Fastfile", "Brewfile":
		return Ruby, true
	}
	for program := range interpreters(head) {
		switch program {
		case "python", "ruby", "php", "node", "swift", "kotlin", "scala":
			return LanguageNamed(program)
		}
	}
	return "", false
}

// interpreters iterates over the words of the "#!" line at the beginning of a script, without versions.
func interpreters(head []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		line, found := bytes.CutPrefix(head, []byte("#!"))
		if !found {
			return
		}
		line, _, _ = bytes.Cut(line, []byte("\n"))
		for word := range bytes.FieldsFuncSeq(line[:min(len(line), 200)], func(r rune) bool { return r == ' ' || r == '/' || r == '\t' || r == '\r' }) {
			if !yield(strings.TrimRight(string(word), "0123456789.")) {
				return
			}
		}
	}
}

// looksLikeCPP reports whether a line of a header begins with a keyword that C does not have.
func looksLikeCPP(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		for _, word := range cppWords {
			rest, found := bytes.CutPrefix(line, word)
			if found && len(rest) > 0 && (rest[0] == ' ' || rest[0] == ':' || rest[0] == '<' || rest[0] == '\n' || rest[0] == '\r') {
				return true
			}
		}
	}
	return false
}

// cppWords are the words that begin a line of C++ and not of C.
var cppWords = [][]byte{
	[]byte("class"), []byte("namespace"), []byte("template"), []byte("using"), []byte("public"), []byte("private"),
	[]byte("protected"), []byte("constexpr"), []byte("virtual"), []byte("inline namespace"),
}
