package pdftext

// matrix is a transformation: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then is the transformation m, and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// state is what q saves (8.4, 9.3).
type state struct {
	ctm                                        matrix
	font                                       *font
	size, charSpace, wordSpace, leading, scale float64
}

// Limits of one page.
const (
	maxForms = 8 // within each other
	maxSaved = 256
)

// painter goes through the content of a page.
type painter struct {
	*file
	state
	saved      []state
	line, text matrix // where the line began, and where the next character stands
	out        *writer
	forms      int
}

// paint goes through a content stream.
func (p *painter) paint(data []byte, resources dict) {
	l := lexer{data: data}
	var operands array
	fonts := map[name]*font{}
	for p.operators < maxOperators && len(p.out.out) < p.out.most {
		o, ok := l.next()
		if !ok {
			return
		}
		op, ok := o.(operator)
		if !ok {
			if operands = append(operands, o); len(operands) > 64 {
				operands = operands[1:]
			}
			continue
		}
		if p.operators++; p.operators&0xFFF == 0 && p.ctx.Err() != nil {
			p.operators = maxOperators
			return
		}
		switch op {
		case "BI":
			l.image()
		case "Tf":
			p.selectFont(operands, resources, fonts)
		case "Do":
			p.form(operands, resources)
		default:
			p.operator(op, operands)
		}
		operands = operands[:0]
	}
}

// image skips an image that stands in the content.
func (l *lexer) image() {
	for l.at < len(l.data) {
		if o, ok := l.next(); !ok || o == operator("ID") {
			break
		}
	}
	for ; l.at+2 < len(l.data); l.at++ {
		d := l.data[l.at:]
		if isSpace(d[0]) && d[1] == 'E' && d[2] == 'I' && (len(d) == 3 || isSpace(d[3])) {
			l.at += 3
			return
		}
	}
	l.at = len(l.data)
}

func (p *painter) selectFont(operands array, resources dict, known map[name]*font) {
	if len(operands) < 2 {
		return
	}
	key, _ := operands[0].(name)
	p.size, _ = operands[1].(float64)
	if f, ok := known[key]; ok {
		p.font = f
		return
	}
	p.font = p.fontOf(p.dict(resources["Font"])[key])
	if len(known) < 1<<10 {
		known[key] = p.font
	}
}

// fontOf reads a font once.
func (f *file) fontOf(o object) *font {
	r, shared := o.(ref)
	if known, ok := f.fonts[r]; ok && shared {
		return known
	}
	d := f.dict(o)
	if d == nil {
		return nil
	}
	t := f.newFont(d)
	if shared && len(f.fonts) < 1<<10 {
		f.fonts[r] = t
	}
	return t
}

// form goes through content that is used in several places (8.10).
func (p *painter) form(operands array, resources dict) {
	if len(operands) == 0 || p.forms >= maxForms {
		return
	}
	key, _ := operands[0].(name)
	s, ok := p.resolve(p.dict(resources["XObject"])[key]).(*stream)
	if !ok || p.resolve(s.dict["Subtype"]) != name("Form") {
		return
	}
	saved, line, text := p.state, p.line, p.text
	if m, ok := p.matrix(p.array(s.dict["Matrix"])); ok {
		p.ctm = m.then(p.ctm)
	}
	own := p.dict(s.dict["Resources"])
	if own == nil {
		own = resources
	}
	p.forms++
	p.paint(p.unpack(s), own)
	p.forms--
	p.state, p.line, p.text = saved, line, text
}

func (p *painter) matrix(operands array) (matrix, bool) {
	if len(operands) < 6 {
		return matrix{}, false
	}
	var n [6]float64
	for i, o := range operands[len(operands)-6:] {
		n[i] = p.number(o)
	}
	return matrix{n[0], n[1], n[2], n[3], n[4], n[5]}, true
}

// operator does what matters for text (table 51).
func (p *painter) operator(op operator, operands array) {
	switch op {
	case "q":
		if len(p.saved) < maxSaved {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		if m, ok := p.matrix(operands); ok {
			p.ctm = m.then(p.ctm)
		}
	case "BT":
		p.line, p.text = identity, identity
	case "Td":
		p.move(operands.number(2), operands.number(1))
	case "TD":
		p.leading = -operands.number(1)
		p.move(operands.number(2), operands.number(1))
	case "Tm":
		if m, ok := p.matrix(operands); ok {
			p.line, p.text = m, m
		}
	case "T*":
		p.move(0, -p.leading)
	case "Tj", "TJ", "'", `"`:
		if op == `"` {
			p.wordSpace, p.charSpace = operands.number(3), operands.number(2)
		}
		if op == "'" || op == `"` {
			p.move(0, -p.leading)
		}
		if len(operands) > 0 {
			p.show(operands[len(operands)-1])
		}
	default:
		p.set(op, operands)
	}
}

// set takes a parameter of the text state (table 103).
func (p *painter) set(op operator, operands array) {
	switch op {
	case "Tc":
		p.charSpace = operands.number(1)
	case "Tw":
		p.wordSpace = operands.number(1)
	case "Tz":
		p.scale = operands.number(1) / 100
	case "TL":
		p.leading = operands.number(1)
	}
}

// number is the operand so many from the end, or 0.
func (a array) number(fromEnd int) float64 {
	if i := len(a) - fromEnd; i >= 0 {
		n, _ := a[i].(float64)
		return n
	}
	return 0
}

func (p *painter) move(x, y float64) {
	p.line = matrix{1, 0, 0, 1, x, y}.then(p.line)
	p.text = p.line
}

// show writes a text, or several with distances.
func (p *painter) show(o object) {
	switch o := o.(type) {
	case text:
		p.write(o)
	case array:
		for _, part := range o {
			switch part := part.(type) {
			case text:
				p.write(part)
			case float64:
				p.advance(-part / 1000 * p.size)
			}
		}
	}
}

// advance moves the place of the next character.
func (p *painter) advance(by float64) {
	if p.font != nil && p.font.vertical {
		p.text = matrix{1, 0, 0, 1, 0, -by}.then(p.text)
		return
	}
	p.text = matrix{1, 0, 0, 1, by * p.scale, 0}.then(p.text)
}

func (p *painter) write(s text) {
	if p.font == nil {
		return
	}
	for len(s) > 0 {
		meaning, size, width := p.font.decode(s)
		by := width/1000*p.size + p.charSpace
		if size == 1 && s[0] == ' ' {
			by += p.wordSpace
		}
		from := p.text.then(p.ctm)
		p.advance(by)
		p.out.put(meaning, from, p.text.then(p.ctm), p.size)
		s = s[size:]
	}
}
