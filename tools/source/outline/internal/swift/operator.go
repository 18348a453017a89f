package swift

import "unicode/utf8"

// operator reads an operator and finds out what it stands between.
func (p *parser) operator(t *token) {
	src, start := p.src, p.at
	dots := src[start] == '.'
	for p.at < len(src) {
		c := src[p.at]
		if b := begins[c]; b != bOperator && b != bSlash && !(dots && b == bDot) {
			break
		}
		if c == '/' && p.at+1 < len(src) && (src[p.at+1] == '/' || src[p.at+1] == '*') {
			break
		}
		p.at++
	}
	switch text := src[start:p.at]; {
	case len(text) == 1 && text[0] == '=':
		t.kind = tAssign
	case len(text) == 2 && text[0] == '-' && text[1] == '>':
		t.kind = tArrow
	default:
		t.kind = p.fixity(t)
	}
}

// fixity is the kind of the operator src[t.start:p.at], by the blanks around it.
func (p *parser) fixity(t *token) kind {
	left := !t.spaced && p.prev.operandEnded()
	right := p.at < len(p.src)
	if right {
		switch p.src[p.at] {
		case ' ', '\t', '\r', '\n', ')', ']', '}', ',', ';', ':':
			right = false
		case '.':
			right = !left
		}
	}
	if first := p.src[t.start]; first == '?' || first == '!' {
		switch {
		case !t.spaced && (p.prev.word == wAs || p.prev.word == wTry):
			return tPrefix // as? and try! have no operand yet
		case left && (!right || p.at == t.start+1):
			return tPostfix
		}
	}
	switch {
	case left == right:
		return tBinary
	case left:
		return tPostfix
	}
	return tPrefix
}

// split cuts the operator at hand after n bytes, so that the rest of it is read
// as another token.
func (p *parser) split(n int) {
	if p.tok.end-p.tok.start > n {
		p.tok.end = p.tok.start + n
		p.at = p.tok.end
	}
}

// firstByte is the first byte of the token at hand if that is an operator.
func (p *parser) firstByte() byte {
	switch p.tok.kind {
	case tBinary, tPrefix, tPostfix, tAssign:
		return p.src[p.tok.start]
	}
	return 0
}

// operatorAt says that text begins with a character that operators are made of
// and that is not of ASCII.
func operatorAt(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	switch {
	case r < 0xa1 || r > 0x3030:
		return false
	case r <= 0xbf:
		return r <= 0xa7 || r == 0xa9 || r == 0xab || r == 0xac || r == 0xae || r == 0xb0 || r == 0xb1 || r == 0xb6 || r == 0xbb || r == 0xbf
	case r < 0x2016:
		return r == 0xd7 || r == 0xf7
	}
	return r <= 0x2017 || 0x2020 <= r && r <= 0x2027 || 0x2030 <= r && r <= 0x203e || 0x2041 <= r && r <= 0x2053 ||
		0x2055 <= r && r <= 0x205e || 0x2190 <= r && r <= 0x23ff || 0x2500 <= r && r <= 0x2775 ||
		0x2794 <= r && r <= 0x2bff || 0x2e00 <= r && r <= 0x2e7f || 0x3001 <= r && r <= 0x3003 || 0x3008 <= r
}

// foreignOperator cuts the word at hand where its operator ends.
func (p *parser) foreignOperator(t *token) {
	end := t.start
	for end < p.at && operatorAt(p.src[end:p.at]) {
		_, n := utf8.DecodeRune(p.src[end:p.at])
		end += n
	}
	p.at, t.word = end, 0
	t.kind = p.fixity(t)
}
