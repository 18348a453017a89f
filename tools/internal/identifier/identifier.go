// Package identifier checks names against the rules of programming languages: the characters of an identifier and the reserved words.
//
// [Check] knows the languages of the constants in package source. It accepts every name without white space in another language. It does
// not know whether a name is taken.
package identifier

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// Result is the result of [Check].
type Result uint8

// Results.
const (
	// Valid is a name for every declaration.
	Valid Result = iota
	// Reserved is a reserved word, which names nothing.
	Reserved
	// MemberOnly is a reserved word that can name members of a type and properties of an object.
	MemberOnly
	// Invalid is no identifier.
	Invalid
)

// rules are the identifiers of a language.
type rules struct {
	reserved string // words, separated by spaces
	members  bool   // reserved words can be names of members
	signs    string // further characters of an identifier
	prefixes []string
	suffixes string // characters that an identifier can end with
	quote    byte   // quotes any name; 0 if the language has no quoted names
}

// Check checks a new name in a language. language is empty for an unknown one.
func Check(language source.Language, name string) Result {
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return Invalid
	}
	r, ok := languages[language]
	if !ok {
		return Valid
	}
	if r.quote != 0 && len(name) > 2 && name[0] == r.quote && strings.IndexByte(name[1:], r.quote) == len(name)-2 {
		return Valid
	}
	bare, escaped := name, false
	for _, prefix := range r.prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			bare, escaped = rest, true
			break
		}
	}
	if len(bare) > 1 && strings.IndexByte(r.suffixes, bare[len(bare)-1]) >= 0 {
		bare, escaped = bare[:len(bare)-1], true
	}
	switch {
	case !isIdentifier(bare, r.signs):
		return Invalid
	case escaped || !slices.Contains(strings.Fields(r.reserved), bare):
		return Valid
	case r.members:
		return MemberOnly
	}
	return Reserved
}

// isIdentifier reports whether a name consists of letters, digits, signs and underscores, and does not begin with a digit.
func isIdentifier(name, signs string) bool {
	for i, r := range name {
		letter := unicode.IsLetter(r) || r == '_' || strings.ContainsRune(signs, r) || unicode.Is(unicode.Nl, r)
		if !letter && (i == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc) && r != '\u200c' && r != '\u200d') {
			return false
		}
	}
	return name != ""
}

const script = "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with await implements interface let package private protected public static yield"

const c = "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local"

// languages are the rules by language.
var languages = map[source.Language]rules{
	source.Go:         {reserved: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var"},
	source.TypeScript: {reserved: script, members: true, signs: "$", prefixes: []string{"#"}},
	source.TSX:        {reserved: script, members: true, signs: "$", prefixes: []string{"#"}},
	source.JavaScript: {reserved: script, members: true, signs: "$", prefixes: []string{"#"}},
	source.Python:     {reserved: "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield"},
	source.Java:       {reserved: "_ abstract assert boolean break byte case catch char class const continue default do double else enum extends false final finally float for goto if implements import instanceof int interface long native new null package private protected public return short static strictfp super switch synchronized this throw throws transient true try void volatile while", signs: "$"},
	source.Kotlin:     {reserved: "as break class continue do else false for fun if in interface is null object package return super this throw true try typealias typeof val var when while", quote: '`'},
	source.Scala:      {reserved: "_ abstract case catch class def do else enum export extends false final finally for given if implicit import lazy match new null object override package private protected return sealed super then this throw trait true try type val var while with yield", signs: "$", quote: '`'},
	source.Swift:      {reserved: "_ Any Self as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator precedencegroup private protocol public repeat rethrows return self static struct subscript super switch throw throws true try typealias var where while", quote: '`'},
	source.Rust:       {reserved: "Self _ abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use virtual where while yield", prefixes: []string{"r#", "'"}},
	source.C:          {reserved: c, signs: "$"},
	source.CPP:        {reserved: c + " alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq", signs: "$", prefixes: []string{"~"}},
	source.CSharp:     {reserved: "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while", prefixes: []string{"@"}},
	source.Ruby:       {reserved: "BEGIN END __ENCODING__ __FILE__ __LINE__ alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield", members: true, prefixes: []string{"@@", "@", "$", ":"}, suffixes: "?!="},
	source.PHP:        {reserved: "__halt_compiler abstract and array as break callable case catch class clone const continue declare default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile eval exit extends final finally fn for foreach function global goto if implements include instanceof insteadof interface isset list match namespace new or print private protected public readonly require return static switch throw trait try unset use var while xor yield", members: true, prefixes: []string{"$"}},
}
