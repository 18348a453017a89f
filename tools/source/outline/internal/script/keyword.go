package script

// The reserved words come first: they cannot be names of variables. The others have a meaning in
// some contexts. Words used as operands (this, null, super) count as identifiers.
const (
	kwBreak = firstKeyword + iota
	kwCase
	kwCatch
	kwClass
	kwConst
	kwContinue
	kwDebugger
	kwDefault
	kwDelete
	kwDo
	kwElse
	kwEnum
	kwExport
	kwExtends
	kwFinally
	kwFor
	kwFunction
	kwIf
	kwImport
	kwIn
	kwInstanceof
	kwNew
	kwReturn
	kwSwitch
	kwThrow
	kwTry
	kwTypeof
	kwVar
	kwVoid
	kwWhile
	kwWith

	kwAbstract
	kwAccessor
	kwAs
	kwAsserts
	kwAsync
	kwAwait
	kwDeclare
	kwFrom
	kwGet
	kwGlobal
	kwImplements
	kwInfer
	kwInterface
	kwIs
	kwKeyof
	kwLet
	kwModule
	kwNamespace
	kwOf
	kwOut
	kwOverride
	kwPrivate
	kwProtected
	kwPublic
	kwReadonly
	kwSatisfies
	kwSet
	kwStatic
	kwType
	kwUnique
	kwUsing
	kwYield

	lastReserved = kwWith
)

// identifies reports whether a token can be the name of a variable.
func (k kind) identifies() bool { return k == word || k > lastReserved }

// names reports whether a token can be the name of a property.
func (k kind) names() bool { return k == word || k >= firstKeyword }

var keywords = [...]struct {
	text string
	kind kind
}{
	{"break", kwBreak}, {"case", kwCase}, {"catch", kwCatch}, {"class", kwClass}, {"const", kwConst},
	{"continue", kwContinue}, {"debugger", kwDebugger}, {"default", kwDefault}, {"delete", kwDelete},
	{"do", kwDo}, {"else", kwElse}, {"enum", kwEnum}, {"export", kwExport}, {"extends", kwExtends},
	{"finally", kwFinally}, {"for", kwFor}, {"function", kwFunction}, {"if", kwIf}, {"import", kwImport},
	{"in", kwIn}, {"instanceof", kwInstanceof}, {"new", kwNew}, {"return", kwReturn}, {"switch", kwSwitch},
	{"throw", kwThrow}, {"try", kwTry}, {"typeof", kwTypeof}, {"var", kwVar}, {"void", kwVoid},
	{"while", kwWhile}, {"with", kwWith},
	{"abstract", kwAbstract}, {"accessor", kwAccessor}, {"as", kwAs}, {"asserts", kwAsserts}, {"async", kwAsync},
	{"await", kwAwait}, {"declare", kwDeclare}, {"from", kwFrom}, {"get", kwGet}, {"global", kwGlobal},
	{"implements", kwImplements}, {"infer", kwInfer}, {"interface", kwInterface}, {"is", kwIs}, {"keyof", kwKeyof},
	{"let", kwLet}, {"module", kwModule}, {"namespace", kwNamespace}, {"of", kwOf}, {"out", kwOut},
	{"override", kwOverride}, {"private", kwPrivate}, {"protected", kwProtected}, {"public", kwPublic},
	{"readonly", kwReadonly}, {"satisfies", kwSatisfies}, {"set", kwSet}, {"static", kwStatic}, {"type", kwType},
	{"unique", kwUnique}, {"using", kwUsing}, {"yield", kwYield},
}

// The table of keywords has no two at one place; longestKeyword is that of
// "implements" and "instanceof".
const longestKeyword = 10

type keywordEntry struct {
	text string
	kind kind
}

var keywordTable = func() (table [512]keywordEntry) {
	for _, k := range keywords {
		table[keywordIndex([]byte(k.text))] = keywordEntry{k.text, k.kind}
	}
	return table
}()

// keywordIndex is where a word of two letters or more would be in the table.
func keywordIndex(text []byte) int {
	return (int(text[0])*15 + int(text[1])*38 + int(text[len(text)-1])*61 + len(text)*7) & 511
}

// keyword says which keyword an identifier is, if any.
func keyword(text []byte) kind {
	if len(text) < 2 || len(text) > longestKeyword || text[0] < 'a' {
		return word
	}
	if e := &keywordTable[keywordIndex(text)]; e.text == string(text) {
		return e.kind
	}
	return word
}
