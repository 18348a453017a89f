package swift

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// statements reads up to the bracket that closes what they stand in, which it
// leaves, or to the end of the text.
func (p *parser) statements(in scope) {
	h := head{-1, -1, p.docs}
	condition := false // between if, for … and the brace that follows it
	for {
		switch p.tok.kind {
		case tEOF, tRightBrace:
			return
		case tRightParen, tRightBracket:
			p.doubtAt(p.tok.start, "a bracket closes that is not open")
			p.next()
		case tAt:
			p.begin(&h)
			p.attribute(true)
			continue
		case tWord:
			if p.tok.word == 0 {
				if in != members && in != cases || !p.unknownModifier(&h) {
					p.name(condition)
					break
				}
				continue
			}
			if p.keyword(in, &h, &condition) {
				continue
			}
		case tHash:
			p.macro(in)
		case tLeftBrace:
			p.pattern, condition = false, false
			p.block(code)
		case tLeftParen, tLeftBracket:
			p.strange(in)
			p.bracket()
		case tAssign, tColon:
			p.pattern = false
			p.strange(in)
			p.next()
		case tSemicolon:
			p.next()
		default:
			p.strange(in)
			p.next()
		}
		h.decl, h.sig = -1, -1
	}
}

// strange notes that what is at hand cannot stand among the members of a type.
func (p *parser) strange(in scope) {
	if in == members || in == cases {
		p.doubtAt(p.tok.start, "this does not begin a declaration")
	}
}

// unknownModifier reads a word that is no word of ours but seems to modify the
// declaration that follows it.
func (p *parser) unknownModifier(h *head) bool {
	p.modified(h)
	t := p.tok
	p.next()
	if p.tok.kind == tLeftParen && !p.tok.spaced {
		p.bracket()
	}
	if p.tok.kind == tWord && !p.tok.newline {
		return true
	}
	p.doubtAt(t.start, "this does not begin a declaration")
	return true
}

// keyword reads what begins with a word that means something. It answers true if
// that was a modifier.
func (p *parser) keyword(in scope, h *head, condition *bool) bool {
	kw, before := p.tok, p.prev
	p.modified(h)
	p.next()
	switch kw.word {
	case wModifier, wAsync:
		return p.modifier(kw, *condition)
	case wCondition:
		*condition = true
		p.strangeWord(in, kw)
	case wCase:
		if in == cases {
			p.enumCases(*h)
			break
		}
		p.pattern = true
		p.strangeWord(in, kw)
	case wIn, wWhere, wElse, wAs, wTry, wStatement, wThrows:
		if kw.word == wIn || kw.word == wWhere {
			p.pattern = false
		}
		p.strangeWord(in, kw)
	case wLet, wVar:
		if in != members && in != cases && (before.word.beforeOperand() && before.word != wIn || before.kind == tComma) {
			break // a condition or a pattern
		}
		p.variables(in, *h, kw)
	case wClass:
		if p.tok.kind == tWord && p.tok.word.declares() && p.tok.word != wActor && p.tok.word != wMacro && !p.tok.quoted {
			return true // class func
		}
		p.typeOf(in, *h, kw)
	case wActor, wMacro:
		if !p.declaresName(kw) {
			p.calledName(kw, *condition)
			break
		}
		if kw.word == wActor {
			p.typeOf(in, *h, kw)
		} else {
			p.macroDecl(*h)
		}
	default:
		p.declaration(in, *h, kw)
	}
	return false
}

// strangeWord is strange for a word that has been read.
func (p *parser) strangeWord(in scope, kw token) {
	if in == members || in == cases {
		p.doubtAt(kw.start, "a statement stands where a declaration should")
	}
}

// declaration reads the declarations that nothing but their word is needed for.
func (p *parser) declaration(in scope, h head, kw token) {
	switch kw.word {
	case wFunc:
		p.function(in, h)
	case wInit, wDeinit, wSubscript:
		if in == members || in == cases {
			p.special(h, kw)
		}
	case wStruct, wEnum, wProtocol:
		p.typeOf(in, h, kw)
	case wExtension:
		p.extension(h)
	case wTypealias, wAssociatedtype:
		p.alias(h)
	case wOperator:
		p.operatorDecl(h)
	case wPrecedencegroup:
		p.next()
		if p.tok.kind == tLeftBrace {
			p.block(code)
		}
	case wImport:
		p.importDecl()
	}
}

// modifier goes on after a modifier; it is false if the word turns out to be a
// name.
func (p *parser) modifier(kw token, condition bool) bool {
	if p.tok.kind == tLeftParen && !p.tok.spaced && kw.word == wModifier {
		end := min(p.tok.end+len("nonsending)"), len(p.src))
		switch what, _, _ := strings.Cut(p.text[p.tok.end:end], ")"); what {
		case "set", "safe", "unsafe", "nonsending":
			p.bracket()
			return true
		}
	}
	if (p.tok.kind == tWord || p.tok.kind == tAt) && p.tok.word != wIn && p.tok.word != wAs {
		return true
	}
	p.calledName(kw, condition)
	return false
}

// declaresName says that the name of a declaration stands at hand, after a word
// that may also be a name itself.
func (p *parser) declaresName(kw token) bool {
	if p.tok.kind != tWord || p.tok.newline {
		return false
	}
	return p.tok.word == 0 || p.tok.quoted
}

// importDecl reads what stands after import.
func (p *parser) importDecl() {
	switch p.tok.word {
	case wStruct, wClass, wEnum, wProtocol, wTypealias, wFunc, wLet, wVar, wActor:
		p.next()
	}
	if p.tok.kind != tWord || p.tok.newline {
		return
	}
	from, to := p.tok.start, p.tok.end
	p.next()
	for p.tok.kind == tDot && !p.tok.newline {
		if p.next(); p.tok.kind != tWord {
			break
		}
		to = p.tok.end
		p.next()
	}
	p.builder.Import(p.text[from:to], from)
}

// macro reads the use of a macro: #name(…) { … }.
func (p *parser) macro(in scope) {
	p.next()
	if in == members || in == cases {
		p.expression()
	}
}

// block reads the braces at hand and what is in them.
func (p *parser) block(in scope) {
	if !p.enter() {
		return
	}
	pattern, start := p.pattern, p.tok.start
	p.pattern = false
	p.next()
	p.statements(in)
	if p.tok.kind == tRightBrace {
		p.next()
	} else {
		p.doubtAt(start, "a brace is not closed")
	}
	p.pattern = pattern
	p.depth--
}

// attribute reads an attribute. Among statements a blank may stand before its
// arguments.
func (p *parser) attribute(blank bool) {
	p.next()
	if p.tok.kind != tWord || p.tok.spaced {
		return
	}
	p.next()
	for p.tok.kind == tDot && !p.tok.spaced {
		if p.next(); p.tok.kind == tWord {
			p.next()
		}
	}
	if p.firstByte() == '<' && !p.tok.spaced {
		p.angle()
	}
	if p.tok.kind == tLeftParen && (!p.tok.spaced || blank && !p.tok.newline) {
		p.bracket()
	}
}

// kindIn is the kind of a function by where it stands.
func kindIn(in scope) source.Kind {
	if in == members || in == cases {
		return source.Method
	}
	return source.Function
}
