package similar

import "strings"

// keywords are the words that keep their identity, by languages. Names of basic types are
// not keywords: changes replace them like other names.
var keywords = []struct {
	languages uint16
	words     string
}{
	{wordsGo, "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false"},
	{wordsScript, "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in instanceof interface is keyof let module namespace new null of private protected public readonly return satisfies set static super switch this throw try type typeof undefined var void while with yield true false"},
	{wordsPython, "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match case nonlocal not or pass raise return self super try while with yield None True False"},
	{wordsJava, "abstract assert break case catch class continue default do else enum extends final finally for if implements import instanceof interface native new null package private protected public record return sealed static super switch synchronized this throw throws transient try var void volatile while yield true false"},
	{wordsKotlin, "abstract as break by catch class companion const constructor continue data do else enum final finally for fun get if import in init inline inner interface internal is lateinit null object open operator override package private protected public return sealed set super suspend this throw try typealias val var vararg when where while true false"},
	{wordsScala, "abstract case catch class def do else enum extends extension final finally for given if implicit import lazy match new null object override package private protected return sealed super then this throw trait try type using val var while with yield true false"},
	{wordsC, "break case const continue default do else enum extern for goto if inline register return sizeof static struct switch typedef union void volatile while define undef include ifdef ifndef endif elif NULL true false"},
	{wordsCPP, "auto catch class constexpr const_cast decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept nullptr operator override private protected public reinterpret_cast static_cast template this throw try typeid typename using virtual co_await co_return co_yield"},
	{wordsCSharp, "abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new null operator out override params partial private protected public readonly record ref return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using value var virtual void volatile when where while yield true false"},
	{wordsRust, "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait type unsafe use where while None Some Ok Err true false"},
	{wordsSwift, "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate final for func get guard if import in init inout internal is lazy let mutating nil open operator override private protocol public repeat rethrows return self Self set some static struct subscript super switch throw throws try typealias unowned var weak where while true false"},
	{wordsRuby, "alias and begin break case class def defined do else elsif end ensure extend for if in include module next nil not or private protected public raise redo require rescue retry return self super then undef unless until when while yield true false"},
	{wordsPHP, "abstract and array as break case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global if implements include instanceof interface isset list match namespace new null or private protected public readonly require return static switch throw trait try unset use var while yield true false"},
}

// word is a keyword with its code.
type word struct {
	text      string
	code      uint16
	languages uint16
}

// wordTable finds keywords by a hash of their letters.
type wordTable [1 << 11]word

var words = newWordTable()

func newWordTable() *wordTable {
	t := new(wordTable)
	next := firstWord
	for _, k := range keywords {
		for text := range strings.FieldsSeq(k.words) {
			at := t.slot(hashOf([]byte(text)), text)
			if t[at].text == "" {
				t[at] = word{text: text, code: next}
				next++
			}
			t[at].languages |= k.languages
		}
	}
	return t
}

// slot returns the index of a word, or of the free slot for it.
func (t *wordTable) slot(hash uint32, text string) int {
	at := int(hash>>16^hash) % len(t)
	for t[at].text != "" && t[at].text != text {
		at = (at + 1) % len(t)
	}
	return at
}

// code returns the code of a keyword in the languages, or 0.
func (t *wordTable) code(hash uint32, text []byte, languages uint16) uint16 {
	at := int(hash>>16^hash) % len(t)
	for t[at].text != "" {
		if t[at].text == string(text) {
			if t[at].languages&languages != 0 {
				return t[at].code
			}
			return 0
		}
		at = (at + 1) % len(t)
	}
	return 0
}

const (
	hashStart = 2166136261
	hashTimes = 16777619
)

// hashOf returns the FNV-1a hash of a name.
func hashOf(text []byte) uint32 {
	h := uint32(hashStart)
	for _, c := range text {
		h = (h ^ uint32(c)) * hashTimes
	}
	return h
}
